"""The legacy trainer runs as its TF1 users would run it, and the same seed gives the same bits."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[2]
LOG_LINE = re.compile(
    r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: step (\d+), loss = (\d+\.\d{4}) "
    r"\(\d+\.\d examples/sec; \d+\.\d{3} sec/batch\)$",
    re.MULTILINE,
)


def start(train_dir: Path, *flags: str) -> subprocess.Popen[str]:
    command = [sys.executable, "legacy/cifar10_towers.py", "--batch_size=6", "--log_every=1", *flags]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    return subprocess.Popen(
        [*command, f"--train_dir={train_dir}"],
        cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def checkpoint(train_dir: Path) -> dict[str, np.ndarray]:
    import tensorflow as tf

    reader = tf.train.load_checkpoint(str(train_dir))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Four short runs, two at a time: (what they printed, their last checkpoint, their directory) by name."""
    short = ("--max_steps=60", "--decay_steps=40", "--summary_every=60")
    flags = {
        "dataset": (*short, "--batch_norm"),
        "feed": (*short, "--batch_norm", "--input=feed"),
        "by speed": ("--max_steps=6", "--split_by_speed=1,2", "--gpu_ids=0,2"),
        "first step": ("--max_steps=1", "--learning_rate=0.5", "--momentum=0", "--num_gpus=4"),
    }
    names = list(flags)
    results = {}
    for pair in (names[:2], names[2:]):
        started = {name: (tmp_path_factory.mktemp("legacy"), *flags[name]) for name in pair}
        processes = {name: start(*arguments) for name, arguments in started.items()}
        for name, process in processes.items():
            out, err = process.communicate(timeout=120)
            assert process.returncode == 0, err
            results[name] = (out, checkpoint(started[name][0]), started[name][0])
    return results


def test_log_lines(runs):
    out, _, _ = runs["dataset"]
    lines = LOG_LINE.findall(out)
    assert [int(step) for step, _ in lines] == list(range(60))
    losses = [float(loss) for _, loss in lines]
    assert np.mean(losses[-5:]) < 0.7 * np.mean(losses[:5])


def test_both_input_styles_give_the_same_bits(runs):
    """Two processes, two ways in for the same batches: also the proof that a run can be repeated."""
    _, dataset, _ = runs["dataset"]
    _, feed, _ = runs["feed"]
    assert dataset.keys() == feed.keys()
    for name, value in dataset.items():
        np.testing.assert_array_equal(feed[name], value, err_msg=name)


def test_state_a_tower_script_has(runs):
    _, state, train_dir = runs["dataset"]
    for name in (
        "conv1/weights",
        "conv1/weights/Momentum",
        "conv1/weights/ExponentialMovingAverage",
        "conv2/moving_variance",
        "tower_1/cross_entropy/avg",
        "global_step",
    ):
        assert name in state
    assert state["global_step"] == 60
    assert (state["conv1/moving_mean"] != 0).any()
    assert "conv1/biases" not in state  # beta takes their place
    assert list(train_dir.glob("events.out.tfevents.*"))


def test_split_by_speed_changes_what_the_towers_see(runs):
    out, state, _ = runs["by speed"]
    assert len(LOG_LINE.findall(out)) == 6
    assert "conv1/biases" in state


def test_four_towers_and_plain_gradient_descent(runs):
    _, state, _ = runs["first step"]
    assert not any("Momentum" in name for name in state)
    assert sorted(name for name in state if name.startswith("tower_3/"))


def test_moving_average_of_the_weights_comes_after_the_step(runs):
    """It starts at the initial weights; one step later it has gone 1 - 2/11 of the way to the new ones."""
    import tensorflow as tf

    _, state, _ = runs["first step"]
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        normal = tf.compat.v1.truncated_normal_initializer(stddev=1 / 96.0, seed=4)
        initial = sess.run(normal([96, 10]))
    new, average = state["softmax_linear/weights"], state["softmax_linear/weights/ExponentialMovingAverage"]
    assert np.abs(new - initial).max() > 1e-3  # a control: the step did something
    np.testing.assert_allclose(average, initial + (new - initial) * (1 - 2 / 11), rtol=1e-5, atol=1e-7)


def test_impossible_speeds_are_refused(tmp_path):
    impossible = ["1,2,3", "1,0", "1,100"]  # too many, not positive, too few images for one
    processes = {speeds: start(tmp_path, f"--split_by_speed={speeds}") for speeds in impossible}
    for speeds, process in processes.items():
        _, err = process.communicate(timeout=120)
        assert process.returncode != 0
        assert f"--split_by_speed={speeds}" in err.splitlines()[-1]
