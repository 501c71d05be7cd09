"""Models of standalone Keras that train themselves: histories, weights and files are those of Keras 2.2.4."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens" / "standalone_training.json").read_text())
#: of a number, after up to 15 updates; Adam and batch norm carry rounding on
TOLERANCE, CARRIED = 1e-5, 5e-5
_CARRY = ("by batches", "convolutional", "loss mape", "network")


@pytest.fixture(scope="module")
def found(results_of: Callable[[str], Any]) -> Any:
    """The results that `drive_standalone_training.py` wrote."""
    return results_of("drive_standalone_training.py")


@pytest.mark.parametrize("name", sorted(GOLDENS))
def test_same_as_keras_2(name: str, found: dict[str, Any]) -> None:
    assert "error" not in found[name], found[name]["error"]
    tolerance = CARRIED if name in _CARRY else TOLERANCE
    assert _apart(found[name]["result"], GOLDENS[name]["result"], tolerance) == []
    assert found[name]["drawn"] == GOLDENS[name]["drawn"]


def _apart(found: Any, known: Any, tolerance: float, path: str = "") -> list[str]:
    """Where two structures of numbers and texts differ."""
    if isinstance(known, dict):
        if set(found) != set(known):
            return [f"{path}: {list(found)}, {list(known)}"]
        return [
            each for name in known for each in _apart(found[name], known[name], tolerance, f"{path}.{name}")
        ]
    if isinstance(known, list) and known and all(isinstance(each, float) for each in known):
        largest = max(map(abs, known))
        apart = len(found) != len(known) or any(
            abs(one - other) > tolerance * largest + 1e-6 for one, other in zip(found, known, strict=True)
        )
        return [f"{path}: {found}, {known}"] if apart else []
    if isinstance(known, list):
        if len(found) != len(known):
            return [f"{path}: {len(found)} items, {len(known)}"]
        return [
            each
            for place, (one, other) in enumerate(zip(found, known, strict=True))
            for each in _apart(one, other, tolerance, f"{path}[{place}]")
        ]
    same = (
        found == pytest.approx(known, rel=tolerance, abs=1e-6) if isinstance(known, float) else found == known
    )
    return [] if same else [f"{path}: {found}, {known}"]
