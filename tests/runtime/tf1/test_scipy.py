"""`tf.contrib.opt.ScipyOptimizerInterface` beside TensorFlow 1.15.5, and memory statistics of a CPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.tasks import QUIET

pytestmark = pytest.mark.tensorflow

#: what TensorFlow 1.15.5 gave, by its SciPy: two vectors of two variables
OF_TF1 = [
    [3.5333521, 1.6529593, 0.2574196, 0.9053379],
    [1.4999374, 2.5, 1.0, -2.0],
    [3.0, 1.0, 0.3333367, 1.0000242],
    [4.8, 0.0, -7.4000006, 2.2000003],
]


def test_where_scipy_moves_variables() -> None:
    pytest.importorskip("tensorflow")
    run = subprocess.run(
        [sys.executable, Path(__file__).with_name("drive_scipy.py")],
        env={**os.environ, **QUIET},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    found = json.loads(run.stdout.split("found ", 1)[1])
    assert found["moved"] == [pytest.approx(values, abs=2e-4) for values in OF_TF1]
    assert found["first"] == 111.0
    assert min(found["bytes"]) >= 0
