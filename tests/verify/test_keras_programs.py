"""Programs as Keras users write them against TF1 towers: `fit`, nested functions; and what cannot be recorded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tf2towers.verify.process import RunFailed
from tf2towers.verify.result_notes import new_result
from tf2towers.verify.rewrites.verdict import judge
from tf2towers.verify.sides import Options, Recorded, record_migrated, record_original
from tf2towers.verify.verify import verify

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

LEGACY = Path(__file__).with_name("legacy") / "two_towers.py"
HEAD = """\
import keras
import numpy as np
import tensorflow as tf

cpu = tf.config.list_physical_devices('CPU')[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
random = np.random.RandomState(1)
images, targets = random.rand(96, 3).astype('float32'), random.rand(96, 1).astype('float32')
"""
FIT = """\
with {strategy}.scope():
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer='ones')
    model = keras.Sequential([keras.Input((3,)), dense])
    model.compile(keras.optimizers.SGD(0.1), keras.losses.MeanSquaredError(){more})
model.fit(images, targets, batch_size=8, shuffle=False, verbose=0)
"""
NESTED = """\
strategy = tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1'])
with strategy.scope():
    weights = tf.Variable(tf.ones([3, 1]))
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.build([weights])

@tf.function(jit_compile=True)
def share_of_loss(images, targets):
    return tf.reduce_mean(tf.square(tf.matmul(images, weights) - targets)) / 2

def replica_step(images, targets):
    with tf.GradientTape() as tape:
        loss = share_of_loss(images, targets)
    optimizer.apply(tape.gradient(loss, [weights]), [weights])

@tf.function
def step(batch):
    strategy.run(replica_step, args=batch)

dataset = tf.data.Dataset.from_tensor_slices((images, targets)).batch(8)
for batch in strategy.experimental_distribute_dataset(dataset):
    step(batch)
"""
EAGER = """\
weights = tf.Variable(tf.ones([3, 1]))
optimizer = keras.optimizers.SGD(0.1)
for _ in range(12):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(images, weights) - targets))
    optimizer.apply(tape.gradient(loss, [weights]), [weights])
"""
PROGRAMS = {
    "fit": FIT.format(strategy="tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1'])", more=""),
    "nested": NESTED,
    "fit, three steps a call": FIT.format(
        strategy="tf.distribute.get_strategy()", more=", steps_per_execution=3"
    ),
    "eager": EAGER,
}
OPTIONS = Options(steps=4, timeout=240)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recorded | RunFailed]:
    """The recordings of the original and of each program, or why there is none."""
    folder = tmp_path_factory.mktemp("programs")
    original = record_original(LEGACY, [], folder / "original", OPTIONS)

    def run(name: str) -> Recorded | RunFailed:
        script = folder / f"{name}.py"
        script.write_text(HEAD + PROGRAMS[name], encoding="utf-8")
        try:
            return record_migrated(script, [], folder / name, OPTIONS, original.folder)
        except RunFailed as problem:
            return problem

    with ThreadPoolExecutor(3) as pool:
        return {"original": original, **dict(zip(PROGRAMS, pool.map(run, PROGRAMS), strict=True))}


@pytest.mark.parametrize("name", ["fit", "nested"])
def test_the_same_gradients(name: str, recorded: dict[str, Recorded | RunFailed]) -> None:
    original, migrated = recorded["original"], recorded[name]
    assert isinstance(original, Recorded) and isinstance(migrated, Recorded), migrated
    result = new_result(LEGACY, LEGACY, [])
    judge(result, original, migrated, Options(gradients_only=True))
    assert (result.outcome, result.steps, result.towers) == ("bitwise", 4, 2)
    assert {found.kind for found in result.comparisons} == {"input", "loss", "tower gradient", "gradient"}
    assert any("jit_compile" in note for note in result.migrated.notes) == (name == "nested")


@pytest.mark.parametrize(
    ("name", "why"),
    [("fit, three steps a call", "in a loop of a tf.function"), ("eager", "outside any tf.function")],
)
def test_what_cannot_be_recorded_is_said(
    name: str, why: str, recorded: dict[str, Recorded | RunFailed]
) -> None:
    problem = recorded[name]
    assert isinstance(problem, RunFailed) and why in str(problem)


def test_what_is_not_verified_is_said(tmp_path: Path) -> None:
    """Random numbers of the towers are not given to it, nor is it held against another TensorFlow."""
    dropout, program = tmp_path / "dropout.py", tmp_path / "program.py"
    parts = "tf.matmul(image_parts[i], weights)"
    text = LEGACY.read_text(encoding="utf-8")
    assert parts in text
    dropout.write_text(text.replace(parts, f"tf.nn.dropout({parts}, keep_prob=0.5)"), encoding="utf-8")
    program.write_text(HEAD + NESTED, encoding="utf-8")
    result = verify(dropout, program, [], OPTIONS)
    assert (result.outcome, "draw random numbers" in result.error) == ("error", True), result.error
    result = verify(LEGACY, program, [], replace(OPTIONS, legacy_python="python-of-tf1"))
    assert (result.outcome, "verified on one TensorFlow" in result.error) == ("error", True), result.error
