"""`tf.contrib.gan` beside TensorFlow 1.12, the last one here that has it: losses after four steps, and of outputs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

#: what TensorFlow 1.12.0 gave
OF_TF1 = {
    "wasserstein": [-0.36076, -0.84198],
    "minimax": [-1.09143, 1.40911],
    "least_squares": [0.17722, 0.21215],
    "outputs": [-0.44708, -1.04449, 2.85759, 0.87483],
    "images": [895.6, 1431.64],
    "scores": [1.471641, 1.413552, 7.136322, 0.00265646, 4.384071, -104.1915, 0, 0.5737149, 0, 0.5717836],
}


def test_the_numbers_of_tensorflow_1(run_driver: Callable[..., str]) -> None:
    printed = run_driver("drive_gan.py")
    found = json.loads(printed.split("found ", 1)[1])
    assert found == {name: pytest.approx(values, rel=2e-5, abs=1e-5) for name, values in OF_TF1.items()}
