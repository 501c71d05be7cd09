"""modern/mobilenet_mirrored.py computes in float16 and bfloat16, with XLA; it saves, evaluates and goes on."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

DRIVER = Path(__file__).with_name("drive_mobilenet.py")
LINE = re.compile(
    r"digits, \w+, epoch (\d): .* s, loss = (\S+), accuracy = (\S+), on other images (\S+)$", re.M
)


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> dict[str, list[str]]:
    """The output of each run, by its name; two texts for a name with two runs."""
    out, _ = run_python(DRIVER, tmp_path_factory.mktemp("mobilenet"), seconds=900, TF_CPP_MIN_LOG_LEVEL="3")
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
    "name", ["fit bfloat16", "hand bfloat16", "fit float16", "hand float16", "hand jit", "one jit"]
)
def test_options_train_as_float32_does(printed, name):
    loop, _, option = name.partition(" ")
    right = losses(printed["one" if loop == "one" else f"{loop} float32"][0])
    got = losses(printed[name][0])
    assert len(right) == len(got) == 3 and right[2] < right[0]
    assert np.abs(got / right - 1).max() <= APART[option]


def test_both_loops_are_the_same(printed):
    for option in ("float32", "bfloat16", "float16"):
        np.testing.assert_allclose(
            losses(printed[f"fit {option}"][0]), losses(printed[f"hand {option}"][0]), rtol=1e-3
        )


@pytest.mark.parametrize(("loop", "apart"), [("fit", 5e-7), ("hand", 0.0)])
def test_several_steps_in_a_call_are_the_same(printed, loop, apart):
    """By hand to the bit, of 24. 4 of an epoch's 8, where 5 are asked for: no call runs into the next epoch."""
    one, several = (printed[f"{loop} {name}"][0] for name in ("float32", "several"))
    assert LINE.findall(several) == LINE.findall(one)
    assert float(re.search("^APART (.*)$", several, re.M)[1]) <= apart


def test_layers_compute_in_the_precision_and_keep_float32_weights(printed):
    for name in ("fit float32", "fit bfloat16", "hand float16"):
        kept = re.search("^KEPT (.*) ", printed[name][0], re.M)[1].split()
        assert kept == [name.split()[1], "float32", "float32"]
        scaled = re.search("^OPTIMIZER LossScaleOptimizer(V3)?$", printed[name][0], re.M) is not None
        assert scaled == (name == "hand float16")


def test_the_saved_model_says_what_the_evaluation_said(printed):
    """On one device exactly; of two replicas, each has batch-norm statistics of its own."""
    for name, within in (("one", 5e-5), ("fit float32", 0.05), ("hand float32", 0.05)):
        accuracy = float(re.search("^KEPT .* (.*)$", printed[name][0], re.M)[1])
        assert accuracy == pytest.approx(float(LINE.findall(printed[name][0])[-1][3]), abs=within)


@pytest.mark.parametrize("loop", ["fit", "hand"])
def test_a_training_that_is_cut_off_goes_on(printed, loop):
    """On the batches that were next. The replicas' batch-norm statistics are saved as their mean."""
    first, second = printed[f"cut off {loop}"]
    assert [epoch for epoch, *_ in LINE.findall(first)] == ["1"] and "STOPPED cut off" in first
    assert [epoch for epoch, *_ in LINE.findall(second)] == ["2", "3"]
    whole = losses(printed[f"{loop} float32"][0])
    np.testing.assert_allclose([*losses(first), *losses(second)], whole, rtol=1e-3)
    assert re.search("^LEFT model.keras( train)?( validation)?$", second, re.M), (
        second
    )  # no checkpoints any more


def test_one_device_is_the_first_of_those_named(printed):
    assert re.search("^ON .*/device:CPU:0$", printed["one"][0], re.M)
    (named,) = printed["one of those named"]
    assert re.search("^ON .*/device:CPU:1$", named, re.M)
    assert [epoch for epoch, *_ in LINE.findall(named)] == ["2"]  # --eval_every=2


def test_fit_cannot_compile_several_replicas(printed):
    assert "STOPPED --jit on several devices: Keras's fit compiles the sum" in printed["refused"][0]
