"""TensorFlow under the overlay: what its C++ writes stays in scratch too."""

import os
from pathlib import Path

import pytest

from tests.verify.recorder.writes_cases import Ran, parse

pytestmark = pytest.mark.tensorflow
pytest.importorskip("tensorflow")

HERE = Path(__file__).parent
TF1 = parse((HERE / "writes_tf1.txt").read_text())
TF2 = parse((HERE / "writes_tf2.txt").read_text())


@pytest.fixture(scope="module")
def of_tf1_names(tmp_path_factory):
    return Ran(TF1, tmp_path_factory.mktemp("v1"), tensorflow=True)


@pytest.fixture(scope="module")
def of_tf2_names(tmp_path_factory):
    return Ran(TF2, tmp_path_factory.mktemp("v2"), tensorflow=True)


@pytest.fixture(scope="module")
def of_real_tf1(tmp_path_factory):
    python = os.environ.get("TF2TOWERS_TF1_PYTHON")
    if not python:
        pytest.skip("TF2TOWERS_TF1_PYTHON names no interpreter with TensorFlow 1")
    return Ran(TF1, tmp_path_factory.mktemp("tf1"), python, tensorflow=True)


@pytest.mark.parametrize("name", TF1)
def test_writes_through_compat_v1_are_redirected(of_tf1_names, name):
    of_tf1_names.check(name)


@pytest.mark.parametrize("name", TF2)
def test_writes_through_tensorflow_2_are_redirected(of_tf2_names, name):
    of_tf2_names.check(name)


@pytest.mark.parametrize("name", TF1)
def test_writes_through_tensorflow_1_are_redirected(of_real_tf1, name):
    of_real_tf1.check(name)
