"""The numbers of a comparison: of each side, and their ratios; the final table."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from tf2towers.compare.side import Side, StepLine
from tf2towers.report.parity_text import columns

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


# -- the final table ---------------------------------------------------------------------------------------------------

NOTHING = "-"


def table(summary: Summary) -> str:
    """The table in columns: what is said, legacy, modern, and modern by legacy (of losses: their difference)."""
    mine, theirs = summary.legacy, summary.modern

    def row(title: str, name: str, shown) -> tuple[str, ...]:  # type: ignore[no-untyped-def]
        left, right = getattr(mine, name), getattr(theirs, name)
        return title, shown(left), shown(right), times(ratio(right, left))

    def middle_half(name: str, shown) -> tuple[str, ...]:  # type: ignore[no-untyped-def]
        left, right = getattr(mine, name), getattr(theirs, name)
        halves = [
            NOTHING if each is None else f"{shown(each.low)} to {shown(each.high)}" for each in (left, right)
        ]
        return "  its middle half", *halves, spread(right, left)

    def loss(title: str, name: str) -> tuple[str, ...]:
        left, right = getattr(mine, name), getattr(theirs, name)
        apart = NOTHING if left is None or right is None else f"{right - left:+.4f}"
        return title, number(left), number(right), apart

    rows = [
        ("", "legacy", "modern", "modern/legacy"),
        ("steps", str(mine.steps), str(theirs.steps), ""),
        row("time to the first step", "first_step", seconds),
        row("steps/s, median", "rate", rate),
        middle_half("rate", _short),
        row(
            "a step, median", "step_seconds", lambda each: f"{each.median * 1000:.1f} ms" if each else NOTHING
        ),
        middle_half("step_seconds", lambda value: f"{value * 1000:.1f}"),
        row("peak memory", "peak", lambda value: NOTHING if value is None else f"{value / 2**20:,.0f} MiB"),
        loss("first loss", "first_loss"),
        loss("final loss", "final_loss"),
        loss("  mean of the last tenth", "end_loss"),
        row("the whole process", "seconds", seconds),
    ]
    return "\n".join(columns(rows, right=range(1, 4)))


def rate(found: Spread | None) -> str:
    """A rate's median."""
    return NOTHING if found is None else _short(found.median)


def spread(over: Spread | None, under: Spread | None) -> str:
    """From the least to the most that a ratio is, where both are within their quartiles."""
    if over is None or under is None or not under.low or not under.high:
        return NOTHING
    return f"{over.low / under.high:.2f} to {over.high / under.low:.2f}"


def seconds(value: float) -> str:
    """Seconds, as '12.3 s' or '2:05 min'."""
    return f"{value:.2f} s" if value < 60 else f"{int(value) // 60}:{int(value) % 60:02} min"


def number(value: float | None) -> str:
    """A loss."""
    if value is None:
        return NOTHING
    return f"{value:.4f}" if math.isfinite(value) and abs(value) < 1e5 else f"{value:g}"


def times(value: float | None) -> str:
    """A ratio, as '1.23x'."""
    return NOTHING if value is None else f"{value:.2f}x"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
