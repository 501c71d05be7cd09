"""How far rounding moves gradients, as a recording measures it, on compat.v1 and on a real TensorFlow 1."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.tensorflow
pytest.importorskip("tensorflow")

DRIVE = Path(__file__).with_name("drive_noise.py")
TF1 = os.environ.get("TF2TOWERS_TF1_PYTHON") or None
MEASURED = ["dense", "normed", "embedding", "dropout", "iterator", "loop", "written"]


@pytest.fixture(scope="module", params=["compat.v1", "TensorFlow 1"])
def found(request):
    """The cases of one TensorFlow."""
    python = sys.executable if request.param == "compat.v1" else TF1
    if not python:
        pytest.skip("TF2TOWERS_TF1_PYTHON names no interpreter with TensorFlow 1")
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "PYTHONPATH": ""}
    environment.pop("TF2_BEHAVIOR", None)  # a TensorFlow 2 that was imported here leaves it
    command = [python, DRIVE, DRIVE.parents[3]]
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", MEASURED)
def test_it_is_a_few_units_in_the_last_place(found, name):
    """But of the bias before a norm, whose gradient is rounding alone."""
    sizes = dict(found[name]["sizes"])
    if name == "normed":
        size, moved = sizes.pop("bias")
        assert size < 1e-7 and moved > size / 4
    assert sizes and found[name]["notes"] == []
    assert all(1e-9 * size < moved < 1e-5 * size for size, moved in sizes.values()), sizes


@pytest.mark.parametrize("name", [*MEASURED, "drawn_in_a_loop"])
def test_the_training_goes_on_as_without(found, name):
    assert found[name]["same"]


def test_what_cannot_be_measured_is_said(found):
    case = found["drawn_in_a_loop"]
    assert case["sizes"] == {} and len(case["notes"]) == 1
    assert case["notes"][0].startswith("rounding was not measured: ") and "RandomUniform" in case["notes"][0]
