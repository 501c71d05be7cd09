"""Moving averages whose order TF1 leaves open: every order of the original's passes, nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

from tf2towers.verify.average_order import Order
from tf2towers.verify.compare import compare
from tf2towers.verify.recording import Arrays, Step

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
    assert all(comparison.bitwise for comparison in found)
    assert order.other == {"w/ema"}


def test_another_average_is_not() -> None:
    migrated = [_step(AFTER, AFTER, 1.1)]
    found = {
        comparison.name: comparison.bitwise
        for comparison in compare(
            Order(AVERAGES).of([_step(BEFORE, BEFORE)], migrated), migrated, kinds=["variable"]
        )
    }
    assert found == {"w": True, "step": True, "w/ema": False}


def test_an_average_that_the_original_leaves_alone_may_not_move() -> None:
    """A step of a worker that is not the chief."""
    still, moved = Step(BEFORE, {**AFTER, "w/ema": BEFORE["w/ema"]}), _step(AFTER, AFTER)
    for migrated, right in ((still, True), (moved, False)):
        found = compare(Order(AVERAGES).of([still], [migrated]), [migrated], kinds=["variable"])
        assert {made.name: made.bitwise for made in found} == {"w": True, "step": True, "w/ema": right}


def test_an_order_that_is_fixed_is_kept() -> None:
    order, steps = Order({}), [_step(BEFORE, BEFORE)]
    assert list(order.of(steps, [_step(AFTER, AFTER)])) == steps
    assert order.other == set()


START, BATCHES = np.array([1.0, 5.0], np.float32), (np.array([2.0, 1.0]), np.array([4.0, 0.0]))
WORKERS = [{"norm/mean": batch.astype(np.float32)} for batch in BATCHES]


def _of_workers(mean: np.ndarray, rate: float = 0.25) -> Step:
    rates = [{"norm/mean": np.float32(rate)}] * 2
    return Step({"norm/mean": START}, {"norm/mean": mean}, moved_to=WORKERS, rates=rates)


@pytest.mark.parametrize(
    ("migrated", "right"),
    [
        ([1.5, 3.875], True),  # the mean of the copies
        ([1.25, 4.0], False),  # the first worker's
        ([1.75, 3.75], False),  # the last one's
        ([2.0, 2.75], False),  # their sum
        ([1.0, 5.0], False),  # never moved
    ],
)
def test_what_workers_move_in_turn_is_their_mean(migrated: list[float], right: bool) -> None:
    """The original has one after the other: 1 + 0.25, then a quarter of the way to 4."""
    order, original = Order({}), _of_workers(np.array([1.9375, 3.0], np.float32))
    migrated_step = Step(original.variables, {"norm/mean": np.array(migrated, np.float32)})
    (found,) = compare(order.of([original], [migrated_step]), [migrated_step], kinds=["variable"])
    assert found.bitwise is right


def test_one_worker_has_nothing_to_share() -> None:
    original = _of_workers(np.array([1.25, 4.0], np.float32))
    original.moved_to, original.rates = original.moved_to[:1], original.rates[:1]
    migrated_step = Step(original.variables, {"norm/mean": np.array([1.5, 3.875], np.float32)})
    (found,) = compare(Order({}).of([original], [migrated_step]), [migrated_step], kinds=["variable"])
    assert not found.bitwise
