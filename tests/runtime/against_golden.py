"""Runs a case in a graph and compares it with its TF 1.15 golden."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from .cases import running

GOLDENS = Path(__file__).parent / "goldens"

Wrap = Callable[[Any], Any]


@cache
def goldens(name: str) -> dict[str, Any]:
    """What TF 1.15 found, by case."""
    return dict(json.loads((GOLDENS / f"{name}.json").read_text()))


def run_in_session(case: running.Case, api: running.Api) -> dict[str, Any]:
    """The values of a case run as TF1 would, in a graph and a session of this TensorFlow."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        inputs = [
            v1.placeholder_with_default(running.fixed(f"input{i}", shape), shape)
            for i, shape in enumerate(case.shapes)
        ]
        fetches = running.build(case, api, inputs)
        session.run(v1.global_variables_initializer())
        if not case.keep_initial:
            for variable in v1.global_variables():
                variable.load(
                    running.fixed(running.variable_name(variable), variable.shape.as_list()), session
                )
        return dict(session.run(fetches))


def assert_same(found: dict[str, Any], golden: dict[str, Any], rtol: float = 1e-4) -> None:
    """Names, scopes and shapes exactly; numbers within `rtol` of an array's norm (two releases, two compilers)."""
    for fact in ("variables", "trainable", "model_variables", "updates", "operations", "shapes"):
        assert found[fact] == golden[fact], f"{fact}: {found[fact]} != {golden[fact]}"
    for kind in ("values", "after"):
        assert sorted(found[kind]) == sorted(golden[kind])
        largest = max((expected["norm"] for expected in golden[kind].values()), default=0.0)
        for name, expected in golden[kind].items():
            # Some gradients are zero but for rounding: what they are small against is the others.
            tolerance = rtol * max(expected["norm"], 0.01 * largest)
            assert_close(found[kind][name], expected, tolerance, f"{kind} {name}")


def assert_close(value: Any, expected: dict[str, Any], tolerance: float, what: str) -> None:
    """`value` against the digest of what it should be."""
    actual = running.digest(value)
    assert actual["shape"] == expected["shape"], what
    for part in ("norm", "some"):
        np.testing.assert_allclose(
            actual[part], expected[part], rtol=0, atol=tolerance + 1e-7, err_msg=f"{what}: {part}"
        )


def assert_same_digests(found: dict[str, Any], golden: dict[str, Any], rtol: float = 1e-4) -> None:
    """As `assert_same`, of two that `running.outcome` gave."""
    for fact in ("variables", "trainable", "model_variables", "updates", "operations", "shapes"):
        assert found.get(fact) == golden.get(fact), fact
    for kind in ("values", "after"):
        known, made = golden.get(kind, {}), found.get(kind, {})
        assert sorted(made) == sorted(known), kind
        largest = max((expected["norm"] for expected in known.values()), default=0.0)
        for name, expected in known.items():
            assert made[name]["shape"] == expected["shape"], name
            tolerance = rtol * max(expected["norm"], 0.01 * largest) + 1e-7
            for part in ("norm", "some"):
                np.testing.assert_allclose(
                    made[name][part], expected[part], rtol=0, atol=tolerance, err_msg=f"{kind} {name}: {part}"
                )
