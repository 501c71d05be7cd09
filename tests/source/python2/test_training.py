"""A trainer in Python 2, migrated, prints what the same trainer in Python 3 prints."""

from pathlib import Path

import pytest

from tests.runtime.tasks import QUIET, run_python
from tf2towers.cli.main import main

PYTHON2 = """\
import tensorflow as tf
import numpy as np
import data

BATCH = 8
TOWERS = 2
DECAY = 3 / 2

x = tf.placeholder(tf.float32, [None, 3])
count = tf.placeholder(tf.int32, [])
opt = tf.train.GradientDescentOptimizer(0.1 / DECAY)
grads = []
w = tf.get_variable('w', [3], initializer=tf.constant_initializer(0.5))
for i in xrange(TOWERS):
    with tf.device('/gpu:%d' % i):
        part = x[i * (BATCH / TOWERS):(i + 1) * (BATCH / TOWERS)]
        loss = tf.reduce_sum(tf.square(part * w - 1.0)) / (BATCH / TOWERS)
        grads.append(opt.compute_gradients(loss, [w]))
mean = []
for pairs in zip(*grads):
    mean.append((tf.add_n([g for g, _ in pairs]) / len(grads), pairs[0][1]))
train = opt.apply_gradients(mean)
half = count / 2
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in xrange(3):
        _, l, h = sess.run([train, loss, half], {x: data.batch(BATCH, step), count: 7 - 14 * (step % 2)})
        print step, '%.9g' % l, h, data.share(step)
    print ['%.9g' % v for v in sess.run(w)], round(2.5)
"""
DATA = """\
import numpy as np

def batch(n, seed):
    values = np.arange(n * 3).reshape(n, 3) / 5
    return values / 2.0 + seed

def share(step):
    parts = map(lambda v: v / 2, range(step + 2))
    return parts, len(parts)
"""
#: by hand, in Python 3 with Python 2's meaning
PYTHON3 = [
    ("xrange", "range"), ("BATCH / TOWERS", "BATCH // TOWERS"), ("3 / 2", "3 // 2"), ("import tensorflow as tf",
     "import tensorflow.compat.v1 as tf\ntf.disable_eager_execution()\ntf.config.set_soft_device_placement(True)"),
    ("count / 2", "tf.div(count, 2)"), ("print step, '%.9g' % l, h, data.share(step)",
     "print(step, '%.9g' % l, h, data.share(step))"),
    ("print ['%.9g' % v for v in sess.run(w)], round(2.5)",
     "print(['%.9g' % v for v in sess.run(w)], 3.0)"),
]  # fmt: skip


@pytest.mark.tensorflow
def test_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new, by_hand = tmp_path / "old", tmp_path / "new", tmp_path / "by_hand"
    old.mkdir()
    by_hand.mkdir()
    (old / "train.py").write_text(PYTHON2)
    (old / "data.py").write_text(DATA)
    monkeypatch.chdir(old)
    assert main(["migrate", "train.py", "-o", str(new), "--format", "json"]) == 0
    soft = "config = tf.ConfigProto(allow_soft_placement=True)\nwith tf.Session(config=config)"
    text = PYTHON2.replace("with tf.Session()", soft)
    for before, after in PYTHON3:
        text = text.replace(before, after)
    (by_hand / "train.py").write_text(text)
    data = DATA.replace("3) / 5", "3) // 5").replace("v / 2", "v // 2").replace("map(", "list(map(")
    (by_hand / "data.py").write_text(data.replace("+ 2))", "+ 2)))"))
    wanted = printed(by_hand)
    assert printed(new) == wanted


def printed(folder: Path) -> str:
    out, _ = run_python("train.py", folder=folder, **QUIET)
    assert out.count("\n") == 4
    return out
