"""The numbers of a comparison: of each side, and their ratios."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from tf2towers.compare.side import Side, StepLine

#: of the steps, whose mean loss is the loss at the end: one step's loss is a matter of its batch
LAST_PART = 0.1
WARM_UP = 3  # steps that are left out at least: tracing, first allocation
WARM_UP_PART = 0.1  # of all steps, that is left out at least


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
    """The steps that say how fast a training is: without the first 3 or the first tenth, whichever is more."""
    warm = steps[max(WARM_UP, int(len(steps) * WARM_UP_PART)) :]
    return [step for step in warm if step.seconds > 0]


@dataclass(frozen=True)
class Numbers:
    """What a training has shown.

    Attributes:
        seconds: that the process ran.
        first_step: seconds from the start of the process to the end of its first step, imports and all.
        rate: steps a second in the steady state; None: too few steps.
        step_seconds: of a step in the steady state.
        peak: resident bytes at most, of the whole process.
        final_loss: of the last step. `end_loss`: the mean over the last tenth of the steps.
    """

    steps: int
    seconds: float
    first_step: float
    rate: Spread | None
    step_seconds: Spread | None
    peak: int | None
    first_loss: float | None
    final_loss: float | None
    end_loss: float | None


@dataclass(frozen=True)
class Summary:
    """Both sides' numbers.

    Attributes:
        notes: sentences for the reader.
    """

    legacy: Numbers
    modern: Numbers
    notes: list[str] = field(default_factory=list)

    @property
    def speed(self) -> float | None:
        """The modern rate by the legacy one; None where one is missing."""
        return ratio(self.modern.rate, self.legacy.rate)


def ratio(mine: Spread | float | None, its: Spread | float | None) -> float | None:
    """One by the other, medians of spreads; None where one is missing or the divisor is 0."""
    numbers = [value.median if isinstance(value, Spread) else value for value in (mine, its)]
    if numbers[0] is None or not numbers[1]:
        return None
    return numbers[0] / numbers[1]


def summarise(legacy: Side, modern: Side) -> Summary:
    """Adds up two sides that have ended, with at least one step each."""
    notes = [f"{side.title}: {note}" for side in (legacy, modern) for note in side.notes]
    numbers = [_numbers(side) for side in (legacy, modern)]
    if any(of_side.rate is None for of_side in numbers):
        notes.append("too few steps for a steady state")
    if not all(of_side.rate is None or of_side.rate.count >= 30 for of_side in numbers):
        notes.append("fewer than 30 steps in the steady state: the rates are rough")
    return Summary(numbers[0], numbers[1], notes)


def _numbers(side: Side) -> Numbers:
    seconds = [step.seconds for step in steady_steps(side.steps)]
    losses = [step.loss for step in side.steps if step.loss is not None]
    last = losses[-max(1, int(len(losses) * LAST_PART)) :]
    return Numbers(
        steps=side.count,
        seconds=side.seconds,
        first_step=side.steps[0].end,
        rate=Spread.of([1 / each for each in seconds]) if seconds else None,
        step_seconds=Spread.of(seconds) if seconds else None,
        peak=side.peak,
        first_loss=losses[0] if losses else None,
        final_loss=losses[-1] if losses else None,
        end_loss=math.fsum(last) / len(last) if last and all(map(math.isfinite, last)) else None,
    )
