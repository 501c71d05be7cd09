"""`tf.contrib.opt.ScipyOptimizerInterface` beside TensorFlow 1.15.5, and memory statistics of a CPU."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

#: what TensorFlow 1.15.5 gave, by its SciPy: two vectors of two variables
OF_TF1 = [
    [3.5333521, 1.6529593, 0.2574196, 0.9053379],
    [1.4999374, 2.5, 1.0, -2.0],
    [3.0, 1.0, 0.3333367, 1.0000242],
    [4.8, 0.0, -7.4000006, 2.2000003],
]


def test_where_scipy_moves_variables(run_driver: Callable[..., str]) -> None:
    printed = run_driver("drive_scipy.py")
    found = json.loads(printed.split("found ", 1)[1])
    assert found["moved"] == [pytest.approx(values, abs=2e-4) for values in OF_TF1]
    assert found["first"] == 111.0
    assert min(found["bytes"]) >= 0
