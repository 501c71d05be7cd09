"""Compares what became of a case with its TF 1.15 golden."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

GOLDENS = Path(__file__).parent / "goldens"


@cache
def goldens(name: str) -> dict[str, Any]:
    """The results of TF 1.15, by case."""
    return dict(json.loads((GOLDENS / f"{name}.json").read_text()))


def assert_same_digests(found: dict[str, Any], golden: dict[str, Any], rtol: float = 1e-4) -> None:
    """Names, scopes and shapes exactly; numbers within `rtol` of an array's norm (two releases, two compilers).

    Both are as `running.outcome` gave them; contrib's goldens have no updates, operations and later
    values.
    """
    for fact in {"variables", "trainable", "model_variables", "updates", "operations", "shapes"} & set(
        golden
    ):
        assert found.get(fact) == golden.get(fact), fact
    for kind in {"values", "after"} & set(golden):
        known, made = golden[kind], found[kind]
        assert sorted(made) == sorted(known), kind
        # Some gradients are zero but for rounding: what they are small against is the others.
        largest = max((expected["norm"] for expected in known.values()), default=0.0)
        for name, expected in known.items():
            assert made[name]["shape"] == expected["shape"], name
            tolerance = rtol * max(expected["norm"], 0.01 * largest) + 1e-7
            for part in ("norm", "some"):
                np.testing.assert_allclose(
                    made[name][part], expected[part], rtol=0, atol=tolerance, err_msg=f"{kind} {name}: {part}"
                )
