"""MobileNetV2 by `fit` and by hand: in float16 and bfloat16, with XLA; both save, evaluate and go on."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

DRIVER = Path(__file__).with_name("drive_mobilenet.py")
LINE = re.compile(r"^epoch (\d): .* s, loss = (\S+), accuracy = ([^\s,]+)(?:, on other images (\S+))?$", re.M)


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> dict[str, list[str]]:
    """The output of each run, by its name; two texts for a name with two runs."""
    out, _ = run_python(DRIVER, tmp_path_factory.mktemp("mobilenet"), seconds=1500, TF_CPP_MIN_LOG_LEVEL="3")
    runs: dict[str, list[str]] = {}
    for part in out.split("RUN ")[1:]:
        name, _, text = part.partition("\n")
        runs.setdefault(name, []).append(text)
    return runs


def losses(text: str) -> np.ndarray:
    return np.array([float(loss) for _, loss, *_ in LINE.findall(text)])


#: in parts of float32's loss, after each epoch; measured: 1e-4, and less than its four digits tell
APART = {"bfloat16": 2e-3, "float16": 3e-4, "jit": 3e-4}


@pytest.mark.parametrize(
    "name",
    [
        "fit bfloat16",
        "hand bfloat16",
        "fit float16",
        "hand float16",
        "hand jit",
        "fit on one, jit",
    ],
)
def test_options_train_as_float32_does(printed, name):
    loop, _, option = name.rpartition(" ")
    right = losses(printed["fit on one" if "one" in loop else f"{loop} float32"][0])
    got = losses(printed[name][0])
    assert len(right) == len(got) == 3 and right[2] < right[0]
    assert np.abs(got / right - 1).max() <= APART[option]


def test_both_loops_are_the_same(printed):
    for option in ("float32", "bfloat16", "float16"):
        np.testing.assert_allclose(
            losses(printed[f"fit {option}"][0]), losses(printed[f"hand {option}"][0]), rtol=1e-3
        )


def test_layers_compute_in_the_precision_and_keep_float32_weights(printed):
    for name in ("fit float32", "fit bfloat16", "hand float16"):
        kept = re.search("^KEPT (.*) ", printed[name][0], re.M)[1].split()
        assert kept == [name.split()[1], "float32", "float32"]
        scaled = re.search("^OPTIMIZER LossScaleOptimizer$", printed[name][0], re.M) is not None
        assert scaled == (name == "hand float16")


def test_it_is_evaluated_as_often_as_is_said(printed):
    for loop in ("fit", "hand"):
        often, rarely = (LINE.findall(printed[f"{loop} {option}"][0]) for option in ("float32", "bfloat16"))
        assert [bool(unseen) for *_, unseen in often] == [True, True, True]
        assert [bool(unseen) for *_, unseen in rarely] == [False, True, False]


def kept(printed, name: str, run: int = 0) -> float:
    """The saved model's accuracy on the images that it was evaluated on."""
    return float(re.search("^KEPT .* (.*)$", printed[name][run], re.M)[1])


def test_the_saved_model_says_what_the_evaluation_said(printed):
    """Also of two replicas: their batch-norm statistics are merged before both."""
    for name in ("fit on one", "fit float32", "hand float32"):
        assert kept(printed, name) == pytest.approx(float(LINE.findall(printed[name][0])[-1][3]), abs=1 / 296)


def test_statistics_of_replicas_are_merged(printed):
    """Ones and threes, twice, at a momentum of 0.9: 0.19 times 1 and 3; each replica then has 0.19 times 2."""
    found = re.search("^MERGED (.*)$", printed["statistics"][0], re.M)[1].split()
    assert [float(value) for value in found] == pytest.approx([0.19, 0.57, 0.38, 0.38])


@pytest.mark.parametrize("name", ["hand float32", "fit float16", "hand float16"])
def test_a_training_that_a_signal_stops_goes_on(printed, name):
    """With the step after it, of 24, and to the same weights; in float16 also where steps have been skipped."""
    first, second, third = printed[f"cut off {name}"]
    assert "STOPPED stopped by a signal after step 11, which is saved in" in first
    assert "going on after step 11 of 24" in second
    assert [epoch for epoch, *_ in LINE.findall(first + second)] == ["1", "2", "3"]
    apart = float(re.search("^APART (.*)$", second, re.M)[1])
    assert apart <= 1e-6  # statistics that were merged once more
    assert "is done already" in third and not LINE.findall(third)
    if "16" in name:  # a control: the skipped steps changed the training
        assert losses(printed[f"skipping {name}"][0])[0] > losses(printed[name][0])[0]


def test_a_training_that_is_killed_while_it_saves_goes_on_from_the_save_before(printed):
    """Keras's BackupAndRestore would have written over it."""
    first, second, _ = printed["cut off fit in a save"]
    assert "STOPPED killed" in first
    assert "going on after step 8 of 24" in second
    assert float(re.search("^APART (.*)$", second, re.M)[1]) <= 1e-6


def test_a_training_that_is_killed_before_it_has_written_its_model_writes_it(printed):
    again = printed["cut off fit in a save"][2]
    assert "going on after step 24 of 24" in again and not LINE.findall(again)
    assert float(re.search("^APART (.*)$", again, re.M)[1]) <= 1e-6


def test_one_device_and_two_with_half_of_each_batch_train_the_same(printed):
    """The same batches; batch norm's statistics are those of a part."""
    np.testing.assert_allclose(losses(printed["fit on one"][0]), losses(printed["fit float32"][0]), rtol=0.05)


def test_devices_are_those_named(printed):
    assert re.search("^ON .*/device:CPU:1$", printed["fit on one"][0], re.M)
    assert re.search("^ON .*/device:CPU:0$", printed["fit on one, jit"][0], re.M)


def test_fit_compiles_for_the_first_device_alone(printed):
    """The sum over replicas would be compiled, too, and another device's variables cannot be reached."""
    for name in ("fit refused on two", "fit refused on the second"):
        assert "STOPPED --jit: fit compiles for the first device alone" in printed[name][0]


def test_every_variable_has_a_copy_on_each_device(printed):
    for name, devices in (("fit float32", [0, 1]), ("hand float32", [0, 1]), ("fit on one", [1])):
        (copies,) = re.findall("^COPIES (.*)$", printed[name][0], re.M)
        assert copies.split() == [f"/job:localhost/replica:0/task:0/device:CPU:{d}" for d in devices]
