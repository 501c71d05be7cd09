"""A network's names, shapes, collections and one step's gradients are TensorFlow 1.15's.

The golden is of `tf.layers`; `drive_networks.py` has slim's as well, which take minutes
(docs/differences.md).
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
    """The results that `drive_networks.py` wrote."""
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


@pytest.mark.long
def test_gradients_of_a_deep_network_in_double_precision(
    run_driver: Callable[..., str], tmp_path: Path
) -> None:
    """With the statistics of a batch: in float32, rounding alone makes 3 % of some (docs/differences.md)."""
    goldens = json.loads((Path(__file__).parents[1] / "goldens" / "networks_double.json").read_text())
    for name, golden in goldens.items():
        run_driver("drive_networks.py", str(tmp_path / "found.json"), "double", "", name)
        found = json.loads((tmp_path / "found.json").read_text())[name]
        np.testing.assert_allclose(found["losses"], golden["losses"], rtol=1e-12)
        largest = max(norm for norm, _ in golden["gradients"].values())
        assert sorted(found["gradients"]) == sorted(golden["gradients"])
        for variable, known in golden["gradients"].items():
            if known[0] > 1e-6 * largest:  # of the digits that are kept
                np.testing.assert_allclose(found["gradients"][variable], known, atol=2e-6 * known[0], rtol=0)
