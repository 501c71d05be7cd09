"""Time that a process is held, its turns, its steady state."""

import pytest

from tf2towers.compare.race import Turn
from tf2towers.compare.side import ActiveClock, StepLine
from tf2towers.compare.summary import Spread, steady_steps


def held(*pairs: float) -> ActiveClock:
    clock = ActiveClock(100.0)
    for place, at in enumerate(pairs):
        (clock.resume if place % 2 else clock.stop)(at)
    return clock


@pytest.mark.parametrize(
    ("pairs", "at", "active"),
    [
        ((), 105, 5),
        ((102, 104), 101, 1),
        ((102, 104), 102, 2),
        ((102, 104), 103, 2),  # while it is held
        ((102, 104), 104, 2),
        ((102, 104), 107, 5),
        ((102, 104, 106, 110), 111, 5),
        ((102, 104, 106), 200, 4),  # held now
        ((102, 104, 106), 105, 3),
    ],
)
def test_active(pairs: tuple[float, ...], at: float, active: float) -> None:
    assert held(*pairs).active(at) == pytest.approx(active)


@pytest.mark.parametrize(
    ("pairs", "begin", "end", "interrupted"),
    [
        ((), 101, 102, False),
        ((102, 104), 100, 101, False),
        ((102, 104), 101, 103, True),
        ((102, 104), 101, 105, True),
        ((102, 104), 104.5, 105, False),
        ((102, 104), 103, 105, True),
        ((102, 104, 106), 104.5, 107, True),
        ((102, 104, 106), 104.5, 105, False),
    ],
)
def test_interrupted(pairs: tuple[float, ...], begin: float, end: float, interrupted: bool) -> None:
    assert held(*pairs).interrupted(begin, end) is interrupted


@pytest.mark.parametrize(
    ("now", "step_ended", "step_seconds", "over"),
    [
        (1.0, True, 0.01, False),  # not due
        (2.0, True, 0.01, True),
        (2.0, False, 0.01, False),  # a step is under way
        (2.0, False, None, True),  # imports
        (3.9, False, 0.01, False),
        (4.1, False, 0.01, True),  # the step does not end: evaluation, or a checkpoint
        (9.0, False, 2.0, False),  # long steps are waited for
    ],
)
def test_turn(now: float, step_ended: bool, step_seconds: float | None, over: bool) -> None:
    assert Turn(0.0, 2.0).is_over(now, step_ended, step_seconds) is over


def steps(seconds: list[float], interrupted: set[int] = frozenset()) -> list[StepLine]:  # type: ignore[assignment]
    return [
        StepLine(number, 0.0, duration, number in interrupted, None, None, None)
        for number, duration in enumerate(seconds, 1)
    ]


@pytest.mark.parametrize(
    ("made", "interrupted", "numbers"),
    [
        (3, set(), []),
        (8, set(), [4, 5, 6, 7, 8]),
        (9, {5}, [4, 6, 7, 8, 9]),
        (8, {5}, [4, 5, 6, 7, 8]),  # too few without it
        (100, set(range(16, 101)), [11, 12, 13, 14, 15]),  # a tenth is warm-up
    ],
)
def test_steady_state(made: int, interrupted: set[int], numbers: list[int]) -> None:
    assert [step.number for step in steady_steps(steps([0.1] * made, interrupted))] == numbers


def test_spread() -> None:
    assert Spread.of([4.0]) == Spread(4, 4, 4, 1)
    assert Spread.of([1.0, 2.0, 3.0, 4.0, 100.0]) == Spread(3, 2, 4, 5)
