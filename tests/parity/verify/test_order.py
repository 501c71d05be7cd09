"""Moving averages whose order TF1 leaves open: every order of the original's passes, nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

from tf2towers.parity.compare import compare
from tf2towers.parity.order import Order
from tf2towers.parity.recording import Arrays, Step

AVERAGES = {"w/ema": {"of": "w", "decay": 0.9, "num_updates": "step"}}
BEFORE = {
    "w": np.array([1.0, -2.0], np.float32),
    "step": np.float32(4),
    "w/ema": np.array([0.5, 3.0], np.float32),
}
AFTER = {"w": np.array([1.5, -2.5], np.float32), "step": np.float32(5)}


def _step(values: Arrays, counts: Arrays, factor: float = 1.0) -> Step:
    count = np.float32(counts["step"])
    rate = np.float32(1) - min(np.float32(0.9), (1 + count) / (10 + count))
    ema = BEFORE["w/ema"] - (BEFORE["w/ema"] - values["w"]) * rate * np.float32(factor)
    return Step(variables=BEFORE, after={**AFTER, "w/ema": ema})


@pytest.mark.parametrize("original", [(BEFORE, BEFORE), (AFTER, BEFORE), (BEFORE, AFTER)])
def test_each_order_of_the_original_is_right(original: tuple[Arrays, Arrays]) -> None:
    order = Order(AVERAGES)
    migrated = [_step(AFTER, AFTER)]
    found = compare(order.of([_step(*original)], migrated), migrated, kinds=["variable"])
    assert all(one.bitwise for one in found)
    assert order.other == {"w/ema"}


def test_another_average_is_not() -> None:
    migrated = [_step(AFTER, AFTER, 1.1)]
    found = {
        one.name: one.bitwise
        for one in compare(
            Order(AVERAGES).of([_step(BEFORE, BEFORE)], migrated), migrated, kinds=["variable"]
        )
    }
    assert found == {"w": True, "step": True, "w/ema": False}


def test_an_average_that_the_original_leaves_alone_may_not_move() -> None:
    """A step of a worker that is not the chief."""
    still, moved = Step(BEFORE, {**AFTER, "w/ema": BEFORE["w/ema"]}), _step(AFTER, AFTER)
    for migrated, right in ((still, True), (moved, False)):
        found = compare(Order(AVERAGES).of([still], [migrated]), [migrated], kinds=["variable"])
        assert {one.name: one.bitwise for one in found} == {"w": True, "step": True, "w/ema": right}


def test_an_order_that_is_fixed_is_kept() -> None:
    order, steps = Order({}), [_step(BEFORE, BEFORE)]
    assert list(order.of(steps, [_step(AFTER, AFTER)])) == steps
    assert order.other == set()
