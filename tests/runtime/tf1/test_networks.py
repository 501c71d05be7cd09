"""A network's names, shapes, collections and one step's gradients are TensorFlow 1.15's.

The golden is of `tf.layers`; `drive_networks.py` has slim's as well, which take minutes (docs/differences.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable
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
def found(run_driver: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `drive_networks.py` wrote down."""
    path = tmp_path_factory.mktemp("found") / "found.json"
    run_driver("drive_networks.py", str(path), "", "", *GOLDENS)
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
