"""Graphs of standalone Keras: names, first values, outputs in both phases and gradients are those of Keras 2.2.4."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens" / "standalone_keras.json").read_text())
#: of an array's norm: two releases' kernels (`exp`)
TOLERANCE = 5e-6


@pytest.fixture(scope="module")
def found(run_driver: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `drive_standalone_keras.py` wrote down."""
    path = tmp_path_factory.mktemp("found") / "found.json"
    run_driver("drive_standalone_keras.py", str(path))
    made: dict[str, Any] = json.loads(path.read_text())
    return made


@pytest.mark.parametrize("name", sorted(GOLDENS))
def test_same_as_keras_2(name: str, found: dict[str, Any]) -> None:
    made, golden = found[name], GOLDENS[name]
    assert made.get("error") is None
    for fact in ("variables", "trainable", "regularization", "shapes", "drawn next"):
        assert made[fact] == golden[fact], fact
    assert made["start"] == golden["start"]
    for fact in ("outputs", "gradients"):
        for phase in range(2):
            for number, (value, known) in enumerate(zip(made[fact][phase], golden[fact][phase], strict=True)):
                tolerance = TOLERANCE * abs(known[0]) + 1e-9
                np.testing.assert_allclose(value, known, rtol=0, atol=tolerance, err_msg=f"{fact} {number}")
