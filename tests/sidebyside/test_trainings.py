"""Real trainings: this repository's pair, and a script that never trains."""

import json
import math
from pathlib import Path

import pytest

from .conftest import ROOT, Start, Write

pytest.importorskip("tensorflow")
pytest.importorskip("tqdm")
pytestmark = pytest.mark.tensorflow

TF1 = """
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
w = tf.get_variable("w", [4, 1], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
other = tf.reduce_mean(x) + 100.0
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.train.MonitoredTrainingSession() as session:
    for _ in range(6):
        session.run(other, {x: np.ones((3, 4))})
        session.run(train, {x: np.ones((3, 4))})
"""
TF2 = """
import keras
import numpy as np
import tensorflow as tf

w = tf.Variable(tf.ones([4, 1]))
optimizer = keras.optimizers.SGD(0.01)


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])


@tf.function
def evaluate(x):
    return tf.reduce_mean(x)


for _ in range(6):
    evaluate(tf.ones((3, 4)))
    step(tf.ones((3, 4)))
"""


def test_the_pair_of_this_repository(start: Start, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers.json"
    flags = ["--num_gpus=2", "--max_steps=12", "--batch_size=8", "--train_dir={scratch}"]
    pair = ["legacy/cifar10_towers.py", "modern/cifar10_mirrored.py"]
    process = start("--json", str(numbers), "--timeout", "120", *pair, "--", *flags, cwd=ROOT)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    found = json.loads(numbers.read_text())
    first = []
    for side in ("legacy", "modern"):
        one = found[side]
        losses = [step["loss"] for step in one["each_step"]]
        assert one["steps"] == len(losses) == 12
        assert all(map(math.isfinite, losses))
        assert (one["examples"], one["towers"]) == (16, 2)
        assert one["peak"] > 100 * 2**20
        first.append(losses[0])
    assert first[0] == pytest.approx(first[1], rel=0.05)
    assert found["notes"] == ["fewer than 30 steps in the steady state: the rates are rough"]


def test_what_trains_and_what_does_not(script: Write, start: Start, tmp_path: Path) -> None:
    """TF1 as `import tensorflow`, whose loss nobody fetches, and a function that returns nothing: the same losses."""
    pair = script("tf1.py", TF1), script("tf2.py", TF2)
    process = start("--json", "numbers.json", "--timeout", "120", *pair)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    found = json.loads((tmp_path / "numbers.json").read_text())
    losses = [[step["loss"] for step in found[side]["each_step"]] for side in ("legacy", "modern")]
    assert losses[0] == pytest.approx([16 * 0.92 ** (2 * n) for n in range(6)], rel=1e-5)
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)
    assert [found[side]["examples"] for side in ("legacy", "modern")] == [3, 3]


def test_never_trains(script: Write, start: Start) -> None:
    never = script("never.py", "import tensorflow as tf\nprint(tf.function(lambda x: x + 1)(1))")
    process = start("--at-once", "--timeout", "120", never, script("waits.py", "time.sleep(120)"))
    _, errors = process.communicate()
    assert process.returncode == 2
    assert "never.py ended and never trained" in errors
