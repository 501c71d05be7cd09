"""Real trainings: this repository's pair, and small ones on which everything differs but the mathematics."""

import math
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT, Start, Write, compared

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

TF1 = """
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
with tf.device("/gpu:1"):  # which this machine may not have, and soft placement is not asked for
    start = dict(kernel_initializer=tf.zeros_initializer(), bias_initializer=tf.ones_initializer())
    y = tf.layers.dense(x, 1, name="only", **start)
    loss = tf.reduce_mean(tf.square(y))
other = tf.reduce_mean(x) + 100.0
step = tf.train.get_or_create_global_step()
train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss, step)
with tf.train.MonitoredTrainingSession(checkpoint_dir="saved") as session:
    for _ in range(6):
        session.run(other, {x: np.ones((3, 4))})
        session.run(train, {x: np.ones((3, 4))})
"""
TF2 = """
import keras
import numpy as np
import tensorflow as tf

w, b = tf.Variable(tf.zeros([4, 1])), tf.Variable(tf.ones([1]))
optimizer = keras.optimizers.SGD(0.01, 0.9)
manager = tf.train.CheckpointManager(tf.train.Checkpoint(w=w), "saved", 1)
{}


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b))
    optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))


@tf.function
def evaluate(x):
    return tf.reduce_mean(x)


for _ in range(6):
    evaluate(tf.ones((3, 4)))
    step(tf.ones((3, 4)))
manager.save()
"""


def losses_of(found: dict[str, Any]) -> list[list[float]]:
    return [[step["loss"] for step in found[side]["each_step"]] for side in ("legacy", "modern")]


def test_the_pair_of_this_repository(start: Start, tmp_path: Path) -> None:
    """Each has weights of its own, and an order of its own: a batch is all of the 1500 digits."""
    flags = ["--num_gpus=2", "--max_steps=12", "--batch_size=750", "--log_every=1"]
    flags.append(f"--train_dir={tmp_path / 'train'}")
    pair = [str(ROOT / "legacy" / "cifar10_towers.py"), str(ROOT / "modern" / "cifar10_mirrored.py")]
    found = compared(start, tmp_path, *pair, "--", *flags)
    losses = losses_of(found)
    for side, of_side in zip(("legacy", "modern"), losses, strict=True):
        summary = found[side]
        assert summary["steps"] == len(of_side) == 12
        assert all(map(math.isfinite, of_side))
        assert summary["towers"] == 2
        assert summary["peak"] > 100 * 2**20
    assert losses[0][0] == pytest.approx(losses[1][0], rel=0.2)
    assert found["notes"] == ["fewer than 30 steps in the steady state: the rates are rough"]
    assert "each with initial weights of its own" in found["how"]
    assert not (tmp_path / "train").exists()


def test_what_trains_and_what_does_not(script: Write, start: Start, tmp_path: Path) -> None:
    """TF1 as `import tensorflow`, whose loss nobody fetches, and a function that returns nothing: the same losses."""
    found = compared(start, tmp_path, script("tf1.py", TF1), script("tf2.py", TF2.format("")))
    legacy, modern = losses_of(found)
    assert len(legacy) == len(modern) == 6
    assert legacy[0] > legacy[-1] > 0
    assert modern == pytest.approx(legacy, rel=1e-5)
    assert not (tmp_path / "saved").exists()


def test_a_training_that_was_resumed_is_refused(script: Write, start: Start) -> None:
    """A counter of steps that is not 0 before the first one; `saved` is a folder that no flag gives."""
    resumed = TF2.format("optimizer.iterations.assign(7)")
    pair = script("steps.py", "step(0.01)"), script("tf2.py", resumed)
    process = start("--timeout", "120", *pair)
    _, errors = process.communicate()
    assert process.returncode == 2
    assert "tf2.py resumed from a checkpoint, after 7 steps" in errors
    assert "{scratch}" in errors
