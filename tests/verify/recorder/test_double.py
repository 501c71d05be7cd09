"""The float64 run of a recording against the same nets built in float64, on compat.v1 and on a real TensorFlow 1."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.tensorflow
pytest.importorskip("tensorflow")

DRIVE = Path(__file__).with_name("drive_double.py")
ROOT = DRIVE.parents[3]
TF1 = os.environ.get("TF2TOWERS_TF1_PYTHON") or None
CASES = [
    "dense", "regularised", "convolution", "moments", "fused", "fused, given moments", "response norm", "embedding",
    "dropout", "noise", "loop", "branch", "iterator", "printed", "resized", "dense, resource", "embedding, resource",
    "loop, resource", "branch, resource",
]  # fmt: skip
NOTES = {"resized": ["the float64 run has ResizeBilinear in float32"]}
NOT_COPIED = {
    "draws in a loop": "RandomUniform in a loop or a branch",
    "branch, functions": "StatelessIf calls a function",
}


@pytest.fixture(scope="module")
def runs():
    """By interpreter; both run at the same time."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "PYTHONPATH": ""}
    environment.pop("TF2_BEHAVIOR", None)  # a TensorFlow 2 that was imported here leaves it
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment}
    started = {
        python: subprocess.Popen([python, DRIVE, ROOT], **pipes) for python in {sys.executable, TF1} - {None}
    }
    try:
        yield {python: process.communicate(timeout=300) for python, process in started.items()}
    finally:
        for process in started.values():
            process.kill()
            process.wait()


@pytest.fixture(scope="module", params=["compat.v1", "TensorFlow 1"])
def found(runs, request):
    """The cases of one TensorFlow."""
    python = sys.executable if request.param == "compat.v1" else TF1
    if not python:
        pytest.skip("TF2TOWERS_TF1_PYTHON names no interpreter with TensorFlow 1")
    said, problem = runs[python]
    assert said, problem[-3000:]
    return json.loads(said.splitlines()[-1])["cases"]


@pytest.mark.parametrize("name", CASES)
def test_the_gradients_are_the_float64_ones(found, name):
    """To their rounding; the recorded float32 ones are not."""
    values = found[name]["values"]
    assert values and found[name]["types"] == ["float64"]
    largest = max(scale for scale, _, _ in values.values())
    off = {of: wide / largest for of, (_, wide, _) in values.items()}
    assert max(off.values()) <= 1e-13, off
    assert max(plain / largest for _, _, plain in values.values()) > 1e-9
    assert found[name]["notes"] == NOTES.get(name, [])


def test_all_cases_are_run(found):
    assert sorted(found) == sorted([*CASES, *NOT_COPIED])


def test_a_bias_before_a_norm_is_rounding(found):
    for name in ("moments", "fused"):
        scale, wide, plain = found[name]["values"]["gradient64|bias"]
        assert scale < 1e-14 and wide < 1e-14 and plain > 1e-10


@pytest.mark.parametrize("name", NOT_COPIED)
def test_what_cannot_be_copied_is_said_and_does_not_end_the_script(found, name):
    assert found[name]["notes"] == [f"no float64 run: {NOT_COPIED[name]}"]
    assert found[name]["kinds"] == ["after", "gradient", "input", "loss", "tower gradient", "variable"]
