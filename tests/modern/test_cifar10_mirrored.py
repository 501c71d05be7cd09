"""The modern twin: the legacy gradients on the legacy weights, and runs that resume bit for bit."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tensorflow")
pytest.importorskip("tqdm")
pytestmark = pytest.mark.tensorflow

ROOT = Path(__file__).parents[2]


def run(*command: str) -> str:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        text=True,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def legacy(tmp_path_factory) -> tuple[str, dict[str, np.ndarray]]:
    """One legacy step with learning rate 0: its momentum slots hold the averaged gradients."""
    import tensorflow as tf

    folder = tmp_path_factory.mktemp("legacy")
    flags = ["--batch_norm", "--batch_size=8", "--max_steps=1", "--learning_rate=0", f"--train_dir={folder}"]
    run("legacy/cifar10_towers.py", *flags)
    reader = tf.train.load_checkpoint(str(folder))
    arrays = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    return str(folder), arrays


@pytest.fixture(scope="module")
def driven(legacy, tmp_path_factory) -> tuple[str, dict[str, np.ndarray]]:
    """What drive.py printed, and the arrays it saved."""
    out = tmp_path_factory.mktemp("modern") / "out.npz"
    printed = run("tests/modern/drive.py", legacy[0], str(out))
    with np.load(out) as arrays:
        return printed, dict(arrays)


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
    """Bitwise, with two replicas: a Keras 3 model with batch norm against a TF1 graph."""
    found = differences("equal", driven, legacy)
    assert len(found) == 10
    assert max(found.values()) == 0, found


def test_unequal_parts_weigh_every_image_the_same(driven, legacy):
    """A control on the comparison, too: other parts, other batch statistics, so the gradients must differ."""
    found = differences("unequal", driven, legacy)
    assert min(found.values()) > 1e-4, found


@pytest.mark.parametrize(("kind", "least", "most"), [("jit", 0.0, 1e-5), ("bfloat16", 1e-3, 0.3)])
def test_options_for_speed_round_otherwise(driven, legacy, kind, least, most):
    """By so much of a gradient's largest element, on the same weights and images: docs/performance.md."""
    found = differences(kind, driven, legacy)
    print(kind, found)
    assert len(found) == 10
    assert least <= max(found.values()) <= most, found


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


def test_resumed_run_is_the_whole_run(driven):
    """Bit for bit: weights, momentum, step, moving averages. Both input styles give the same batches."""
    _, arrays = driven
    whole = {name.removeprefix("whole:"): a for name, a in arrays.items() if name.startswith("whole:")}
    resumed = {name.removeprefix("resumed:"): a for name, a in arrays.items() if name.startswith("resumed:")}
    assert whole.keys() == resumed.keys()
    for part in ("model/", "optimizer/", "averages/"):
        assert any(name.startswith(part) for name in whole)
    for name, array in whole.items():
        np.testing.assert_array_equal(resumed[name], array, err_msg=name)
    half = {name.removeprefix("half:"): a for name, a in arrays.items() if name.startswith("half:")}
    assert any((half[name] != array).any() for name, array in whole.items())  # a control: training went on


def test_log_lines_and_messages(driven):
    printed, _ = driven
    assert "GPUs [0, 1] wanted, 0 found: training on 2 logical CPU devices" in printed
    sections = dict(zip(*[iter(re.split(r"^RUN (.*)$", printed, flags=re.MULTILINE)[1:])] * 2, strict=True))
    line = r": step (\d+), loss = \d\.\d{4} \(\d+\.\d examples/sec; \d+\.\d{3} sec/batch\)$"
    steps = {name: re.findall(line, text, re.MULTILINE) for name, text in sections.items()}
    assert steps["whole"] == list("012345")
    assert steps["resumed"] == list("345")
    assert steps["speed"] == list("01")
    assert "resuming at step 3 of 6" in sections["resumed"]
    assert "ckpt-2 is of another model; try --noresume" in sections["other model"]
