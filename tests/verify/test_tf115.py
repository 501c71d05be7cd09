"""The legacy trainer on a real TF 1.15, which TF2TOWERS_TF1_PYTHON names, against the migrated one here."""

from __future__ import annotations

import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.verify.migrating import migrate_into
from tf2towers.cli.main import main
from tf2towers.launch.cluster import Shape
from tf2towers.verify.sides import Options
from tf2towers.verify.verify import verify

pytest.importorskip("tensorflow")
TF1 = os.environ.get("TF2TOWERS_TF1_PYTHON")
pytestmark = [
    pytest.mark.tensorflow,
    pytest.mark.skipif(not TF1, reason="TF2TOWERS_TF1_PYTHON names no interpreter"),
]
LEGACY = Path(__file__).parents[2] / "legacy" / "cifar10_towers.py"
SMALL = Path(__file__).parent / "mistakes" / "legacy" / "small_towers.py"
AVERAGE = "        grads = strategy.reduce('MEAN', tower_grads)\n"


@pytest.mark.parametrize("style", ["feed", "dataset"])
def test_gradients_of_ten_steps(style: str, tmp_path: Path) -> None:
    migrate_into(LEGACY, tmp_path)
    flags = ["--num_gpus=2", "--batch_size=16", f"--input={style}"]
    result = verify(LEGACY, tmp_path / LEGACY.name, flags, Options(steps=10, legacy_python=TF1))
    assert result.original.tensorflow.startswith("1."), result.error
    assert result.steps == 10
    gradients = {
        comparison.name: comparison for comparison in result.comparisons if comparison.kind == "gradient"
    }
    assert len(gradients) == 8
    assert max(gradient.max_rel for gradient in gradients.values()) <= 1e-4
    assert result.outcome == "within"


@pytest.mark.parametrize("script", ["mnist_supervisor.py", "mnist_monitored.py"])
@pytest.mark.parametrize("issync", [0, 1])
def test_a_cluster_agrees_with_tensorflow_1_15(script: str, issync: int, tmp_path: Path) -> None:
    migrate_into(LEGACY.with_name(script), tmp_path)
    flags = ["--train_steps=10000", f"--issync={issync}", f"--log_dir={tmp_path / 'log'}"]
    options = Options(steps=10, timeout=240, legacy_python=TF1, scratch=tmp_path / "scratch", cluster=Shape())
    result = verify(LEGACY.with_name(script), tmp_path / script, flags, options)
    assert result.original.tensorflow.startswith("1."), result.error
    gradients = [comparison for comparison in result.comparisons if comparison.kind == "gradient"]
    assert (result.outcome, result.steps, len(gradients)) == ("within", 20, 4)
    assert max(gradient.max_rel for gradient in gradients) <= 1e-4


@pytest.mark.parametrize("rate", ["0.05", "0.0501"])
def test_a_cluster_with_batch_norm(rate: str, tmp_path: Path) -> None:
    """A bias before the norm is rounding, as the original with its weights moved says; a mistake is a difference."""
    script = Path(__file__).parent / "calls" / "legacy" / "backups.py"
    migrate_into(script, tmp_path, "MomentumOptimizer(0.05", f"MomentumOptimizer({rate}")
    options = Options(steps=5, timeout=240, legacy_python=TF1, cluster=Shape(workers=3))
    result = verify(script, tmp_path / script.name, [], options)
    assert result.outcome == ("within" if rate == "0.05" else "differs"), result.error
    if rate == "0.05":
        rounding = {each.name for each in result.comparisons if each.rounding}
        assert {"dense/bias"} <= rounding <= {"dense/bias", "dense/bias/Momentum"}


@pytest.mark.parametrize("factor", ["", "1.01"])
def test_a_bias_before_a_batch_norm(factor: str, tmp_path: Path) -> None:
    """Its true gradient is 0, and Adam makes steps of its rounding: that is measured."""
    wrong = AVERAGE + f"        grads = [({factor} * g, v) for g, v in grads]\n" if factor else AVERAGE
    migrate_into(SMALL, tmp_path, AVERAGE, wrong)
    script = tmp_path / SMALL.name
    options = Options(steps=5, legacy_python=TF1)
    result = verify(SMALL, script, ["--optimizer=adam"], options)
    found = {
        comparison.name: comparison for comparison in result.comparisons if comparison.kind == "gradient"
    }
    assert found["hidden/biases"].rounding and found["hidden/biases"].max_rel > 0.01, result.error
    assert not found["hidden/weights"].rounding
    assert found["hidden/weights"].within == (not factor)
    assert result.outcome == ("differs" if factor else "within")
    [rule] = [note for note in result.notes if note.startswith("rule 'rounding'")]
    assert "hidden/biases" in rule and "TensorFlow 1.15" in rule and "2." in rule


@pytest.mark.parametrize("rate", ["0.05", "0.051"])
def test_rounding_grows_over_the_steps(rate: str, tmp_path: Path) -> None:
    """Elements next to 0 of a gradient that is none: each step is judged by itself, from the original's variables."""
    wide = Path(__file__).parent / "legacy" / "wide_towers.py"
    migrate_into(wide, tmp_path, "AdamOptimizer(0.05)", f"AdamOptimizer({rate})")
    result = verify(wide, tmp_path / wide.name, [], Options(legacy_python=TF1))
    if rate == "0.05":
        assert (result.outcome, result.error, result.diagnoses) == ("within", "", [])
        assert (result.calls, result.steps) == (9, 4)
        assert any(note.startswith("rule 'rounding'") for note in result.notes)
    else:
        assert result.outcome == "differs"
        assert any("without --legacy-python both sides run on one" in note for note in result.notes)
        assert "learning rate" in [found.name for found in result.diagnoses]


#: a program of Python 2, and what it prints on a TF 1.15
PYTHON2 = """
import cPickle
import numpy as np
import tensorflow as tf

class Model:
    def __init__(self, sizes):
        self.layers = dict(('layer_%d' % i, size) for i, size in enumerate(sizes))
    def loss(self, h):
        names = self.layers.keys()
        names.sort()
        for name in names:
            h = tf.layers.dense(h, self.layers[name] / 2, name=name, kernel_initializer=tf.ones_initializer())
        if not self.layers.has_key('layer_0'):
            raise ValueError, 'no layers'
        return tf.reduce_mean(h ** 2)

x = tf.placeholder(tf.float32, [8, 3])
opt, grads = tf.train.MomentumOptimizer(0.01, 0.9), []
for i in xrange(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('model', reuse=i > 0):
        grads.append(opt.compute_gradients(Model([4, 3]).loss(x[i * 8 / 2:(i + 1) * 8 / 2])))
mean = [(sum(g for g, _ in pair) / 2, pair[0][1]) for pair in zip(*grads)]
train = opt.apply_gradients(mean)
data = cPickle.loads(cPickle.dumps({'rows': np.full([8, 3], 0.5, np.float32)}, 2))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in xrange(5):
        sess.run(train, {x: data['rows']})
    values = sess.run(tf.global_variables()[0]).ravel()
    print >>open('/dev/stdout', 'w'), 'w', ' '.join(map(lambda value: '%.4f' % value, values))
"""
PRINTED = "w" + 6 * " 0.7537"


def test_python3_output_trains_alone(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PYTHON2)
    assert main(["migrate", "--python3", "-o", str(tmp_path / "out"), str(tmp_path / "train.py")]) == 0
    # TensorFlow 2 leaves a process another behaviour
    environment = {
        key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "TF2_BEHAVIOR")
    }
    out = subprocess.check_output([TF1, "train.py"], cwd=tmp_path / "out", env=environment, text=True)
    assert out.splitlines()[-1:] == [PRINTED]


@pytest.mark.skipif(find_spec("tensorflow_estimator") is None, reason="needs tensorflow-estimator")
@pytest.mark.parametrize(
    ("script", "chief"), [("estimator_towers.py", None), ("estimator_wide_and_deep.py", "chief")]
)
def test_an_estimator(script: str, chief: str | None, tmp_path: Path) -> None:
    """Towers by `replicate_model_fn`, and a cluster with a chief."""
    original = Path(__file__).parent / "legacy" / script
    migrate_into(original, tmp_path)
    shape = None if chief is None else Shape(chief=chief)
    options = Options(steps=10, timeout=240, legacy_python=TF1, cluster=shape)
    result = verify(original, tmp_path / script, [str(tmp_path / "model")], options)
    assert result.original.tensorflow.startswith("1."), result.error
    assert (result.outcome, result.steps) == ("within", 10 if chief is None else 20)
    assert max(each.max_rel for each in result.comparisons if each.kind == "gradient") <= 1e-4
