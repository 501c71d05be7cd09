"""The modern twin: the legacy gradients on the legacy weights, and runs that resume bit for bit."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[2]


def run(*command: str) -> str:
    return run_python(*command, folder=ROOT, seconds=900, TF_CPP_MIN_LOG_LEVEL="3")[0]


@pytest.fixture(scope="module")
def legacy(tmp_path_factory) -> tuple[str, dict[str, np.ndarray]]:
    """One legacy step with learning rate 0: its momentum slots hold the averaged gradients."""
    import tensorflow as tf

    folder = tmp_path_factory.mktemp("legacy")
    flags = [
        "--batch_norm",
        "--batch_size=8",
        "--max_steps=1",
        "--learning_rate=0",
        "--summary_every=1",
        f"--train_dir={folder}",
    ]
    run("legacy/cifar10_towers.py", *flags)
    reader = tf.train.load_checkpoint(str(folder))
    arrays = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    return str(folder), arrays


@pytest.fixture(scope="module")
def driven(legacy, tmp_path_factory) -> tuple[str, dict[str, np.ndarray], Path]:
    """The output of drive.py, the arrays that it saved, and their folder."""
    out = tmp_path_factory.mktemp("modern") / "out.npz"
    printed = run("tests/modern/drive.py", legacy[0], str(out))
    with np.load(out) as arrays:
        return printed, dict(arrays), out.parent


def relative_difference(got: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(got - expected).max() / np.abs(expected).max())


def differences(kind: str, driven, legacy) -> dict[str, float]:
    """Per variable, the modern gradients against the towers' average."""
    prefix = f"{kind}:gradient:"
    return {
        name.removeprefix(prefix): relative_difference(
            array, legacy[1][name.removeprefix(prefix) + "/Momentum"]
        )
        for name, array in driven[1].items()
        if name.startswith(prefix)
    }


def test_gradients_are_the_towers_averaged_ones(driven, legacy):
    """Bitwise, with two replicas: a Keras model with batch norm against a TF1 graph."""
    found = differences("equal", driven, legacy)
    assert len(found) == 10
    assert max(found.values()) == 0, found


@pytest.mark.parametrize(
    ("kind", "least", "most"), [("jit", 0.0, 1e-5), ("bfloat16", 1e-3, 0.3), ("float16", 1e-4, 0.1)]
)
def test_options_for_speed_round_otherwise(driven, legacy, kind, least, most):
    """By so much of a gradient's largest element, on the same weights and images: docs/performance.md."""
    found = differences(kind, driven, legacy)
    print(kind, found)
    assert len(found) == 10
    assert least <= max(found.values()) <= most, found


def test_a_step_is_left_out_where_any_replicas_gradients_are_not_finite(driven):
    """Keras 3 by itself asks the first replica alone: the second step would leave an infinite weight."""
    *before, after = driven[1]["infinities"]
    assert before == [1.0, 1.0, 1.0] and np.isfinite(after) and after < 1.0


def test_batch_norm_statistics_move(driven, legacy):
    """The towers keep the last tower's, the twin the mean over replicas: same size, other numbers."""
    for name in ("conv1/moving_mean", "conv2/moving_variance"):
        (got, other), expected = driven[1][f"equal:variable:{name}"], legacy[1][name]
        np.testing.assert_array_equal(
            got, other
        )  # the replicas agree; Keras alone would let them drift apart
        assert 0 < relative_difference(got, expected) < 0.2


def test_averages_come_nearer_to_the_weights(driven, legacy):
    """TF1's ExponentialMovingAverage(0.999, num_updates=1): from one above them, by 9 parts of 11."""
    prefix = "equal:average:"
    averages = {name.removeprefix(prefix): a for name, a in driven[1].items() if name.startswith(prefix)}
    assert len(averages) == 10
    for name, average in averages.items():
        np.testing.assert_allclose(average - legacy[1][name], 2 / 11, rtol=1e-5)


def of_run(driven, name: str) -> dict[str, np.ndarray]:
    """What its last checkpoint has."""
    return {key.removeprefix(f"{name}:"): a for key, a in driven[1].items() if key.startswith(f"{name}:")}


def test_steps_that_were_skipped_count(driven):
    """In float16 the first scale is too large: of 6 steps some are skipped; a resumed run is the whole run."""
    whole, resumed = of_run(driven, "skipping"), of_run(driven, "skipped, resumed")
    for name, array in whole.items():
        np.testing.assert_array_equal(resumed[name], array, err_msg=name)
    (attempts,) = (int(array) for name, array in whole.items() if "attempts" in name)
    iterations = max(int(a) for name, a in whole.items() if "inner" in name and "iterations" in name)
    assert attempts == 6 and 0 < iterations < 6
    assert "resuming at step 3 of 6" in driven[0]


def test_resumed_run_is_the_whole_run(driven):
    """Bit for bit: weights, momentum, step, moving averages; one step a call or several, the same batches."""
    whole, resumed, half = (of_run(driven, name) for name in ("whole", "resumed", "half"))
    assert whole.keys() == resumed.keys()
    for part in ("model/", "optimizer/", "averages/"):
        assert any(name.startswith(part) for name in whole)
    for name, array in whole.items():
        np.testing.assert_array_equal(resumed[name], array, err_msg=name)
    assert any((half[name] != array).any() for name, array in whole.items())  # a control: training went on


def test_evaluation_says_what_the_legacy_network_says(driven):
    """Of the same weights and statistics: the logits, and the part of the test images that is right."""
    _, arrays, _ = driven
    np.testing.assert_allclose(arrays["evaluation:logits"], arrays["evaluation:legacy"], atol=1e-5)
    assert arrays["evaluation:accuracy"] == pytest.approx(arrays["evaluation:legacy accuracy"], abs=1e-6)


def test_every_image_once_an_epoch_in_an_order_of_its_own(driven):
    _, arrays, _ = driven
    images, labels = arrays["input:images"], arrays["input:labels"]
    assert images.shape == (12, 150, 24, 24, 3) and images.dtype == np.float32
    epoch = np.sort(labels[:10].ravel())
    import trainer_data

    all_images, all_labels = trainer_data.load_digits()
    np.testing.assert_array_equal(epoch, np.sort(all_labels))
    assert len(np.unique(images[:10].reshape(1500, -1), axis=0)) == len(np.unique(all_images, axis=0))
    assert (images[:2] != images[10:]).any()  # the next epoch
    np.testing.assert_array_equal(arrays["input:resumed"][:9], images[3:])  # from batch 3 on
    np.testing.assert_array_equal(arrays["input:parts"], images[3])  # two replicas that read for themselves
    np.testing.assert_array_equal(arrays["input:resumed later"], images[11])  # in the second epoch
    np.testing.assert_allclose(images.mean(axis=(2, 3, 4)), 0.0, atol=1e-5)


def test_distorted_images_follow_from_the_seed(driven):
    one, other, later = driven[1]["input:distorted"]
    np.testing.assert_array_equal(one, other)
    assert (one != later).any()
    assert one.shape == (20, 24, 24, 3) and np.isfinite(one).all()


def test_summaries(driven):
    pytest.importorskip("tensorboard")
    import tensorflow as tf

    (path,) = (driven[2] / "whole").glob("events.out.tfevents.*")
    events = tf.compat.v1.train.summary_iterator(str(path))
    tags = {value.tag for event in events for value in event.summary.value}
    assert tags == {"accuracy", "learning_rate", "total_loss"}
    assert (driven[2] / "whole" / "model.keras").exists()


def test_a_signal_loses_no_step(tmp_path):
    """SIGTERM: the step that it is in is saved, and the run goes on from there."""
    command = ["modern/cifar10_mirrored.py", "--num_gpus=2", "--batch_size=4", f"--train_dir={tmp_path}"]
    with subprocess.Popen(
        [sys.executable, *command, "--max_steps=1000000"], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    ) as process:  # fmt: skip
        for line in process.stdout:
            if ": step 20," in line:
                process.terminate()
                break
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    (step,) = re.findall(r"stopped by a signal after step (\d+), which is saved", errors)
    printed = run(*command, f"--max_steps={int(step) + 3}")
    assert f"resuming at step {int(step) + 1} of {int(step) + 3}" in printed


def test_log_lines_and_messages(driven):
    printed, *_ = driven
    assert "/gpu:0, /gpu:1 wanted, 0 GPUs found: training on 2 logical CPU devices" in printed
    sections = dict(zip(*[iter(re.split(r"^RUN (.*)$", printed, flags=re.MULTILINE)[1:])] * 2, strict=True))
    line = r": step (\d+), loss = \d\.\d{4} \(\d+\.\d examples/sec; \d+\.\d{3} sec/batch\)$"
    steps = {name: re.findall(line, text, re.MULTILINE) for name, text in sections.items()}
    assert steps["whole"] == list("012345")
    assert steps["resumed"] == list("5")
    accuracy = r"^After 3 steps: accuracy = 0\.\d{4} on the test images$"
    assert re.search(accuracy, sections["whole"], re.MULTILINE)
    assert steps["files"] == list("01")
    assert "resuming at step 3 of 6" in sections["resumed"]
    assert "ckpt-6 is of another model; use another --train_dir" in sections["other model"]
