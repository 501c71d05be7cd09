"""A network's names, shapes, collections and one step's gradients are TensorFlow 1.15's.

The golden is of `tf.layers`; `drive_networks.py` has slim's as well, which take minutes (docs/differences.md).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens" / "networks.json").read_text())
#: of the norm of a gradient or a moving statistic: two releases' kernels
TOLERANCE = 2e-5


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `drive_networks.py` wrote down."""
    path = tmp_path_factory.mktemp("networks") / "found.json"
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_ENABLE_ONEDNN_OPTS": "0",
    }
    driver = str(Path(__file__).with_name("drive_networks.py"))
    command = [sys.executable, driver, str(path), "", "", *GOLDENS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    made: dict[str, Any] = json.loads(path.read_text())
    return made


@pytest.mark.parametrize("name", sorted(GOLDENS))
def test_same_as_tf1(name: str, found: dict[str, Any]) -> None:
    made, golden = found[name], GOLDENS[name]
    for fact in ("variables", "collections", "updates", "regularization"):
        assert made[fact] == golden[fact], fact
    np.testing.assert_allclose(made["losses"], golden["losses"], rtol=1e-5)
    for fact in ("gradients", "moved"):
        assert sorted(made[fact]) == sorted(golden[fact])
        apart = {
            variable: np.abs(np.subtract(made[fact][variable], numbers)).max() / (numbers[0] or 1)
            for variable, numbers in golden[fact].items()
        }
        assert max(apart.values()) < TOLERANCE, max(apart, key=apart.__getitem__)
