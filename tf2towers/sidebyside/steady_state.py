"""The steady state of a training: its steps without those of the start, and without those that were held."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from tf2towers.sidebyside.side import StepLine

WARM_UP = 3  # steps that are left out at least: tracing, first allocation
WARM_UP_PART = 0.1  # of all steps, that is left out at least
FEWEST = 5  # steps; with fewer that were not held, held ones count too


@dataclass(frozen=True)
class Spread:
    """The median of some numbers and the quartiles around it; `count` numbers."""

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Spread:
        """Of at least one number. Quartiles include the ends (as `numpy.percentile` does by default)."""
        if len(numbers) == 1:
            return cls(numbers[0], numbers[0], numbers[0], 1)
        low, median, high = statistics.quantiles(numbers, n=4, method="inclusive")
        return cls(median, low, high, len(numbers))


def steady_steps(steps: Sequence[StepLine]) -> list[StepLine]:
    """The steps that say how fast a training is; empty where there are too few altogether.

    Left out are the first 3 or the first tenth, whichever is more, and steps within which the process was held. Where
    that leaves fewer than 5, steps that were held count too, by the time that they ran.
    """
    warm = list(steps[max(WARM_UP, int(len(steps) * WARM_UP_PART)) :])
    whole = [step for step in warm if not step.interrupted]
    return [step for step in (whole if len(whole) >= FEWEST else warm) if step.seconds > 0]
