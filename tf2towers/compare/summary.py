"""The numbers of a comparison: those of each side, their ratios, and the final table."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tf2towers.compare.side import NOTHING, Side, StepLine, number
from tf2towers.report.parity_text import columns

#: the part of the steps, at the end, whose mean loss is the loss at the end; a single step's
#: depends on its batch
LAST_PART = 0.1
WARM_UP = 3  # the least number of first steps left out, because of tracing and first allocation
WARM_UP_PART = 0.1  # at least this part of all steps is left out


@dataclass(frozen=True)
class Spread:
    """The median and the quartiles of `count` numbers."""

    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Spread | None:
        """The spread of numbers; None for less than two; quartiles as in `numpy.percentile`."""
        if len(numbers) < 2:
            return None
        low, median, high = statistics.quantiles(numbers, n=4, method="inclusive")
        return cls(median, low, high, len(numbers))


def steady_steps(steps: Sequence[StepLine]) -> list[StepLine]:
    """The steps that the rate is taken of: without the first 3 or the first tenth."""
    warm = steps[max(WARM_UP, int(len(steps) * WARM_UP_PART)) :]
    return [step for step in warm if step.seconds > 0]


@dataclass(frozen=True)
class Numbers:
    """The numbers measured of a training.

    Attributes:
        seconds: the run time of the process.
        first_step: seconds from the start of the process to the end of its first step, with all
            imports.
        rate: steps a second in the steady state; None: too few steps.
        peak: the largest resident memory of all tasks, in bytes.
        final_loss: that of the last step. `end_loss`: the mean over the last tenth of the steps.
    """

    steps: int
    seconds: float
    first_step: float
    rate: Spread | None
    peak: int | None
    first_loss: float | None
    final_loss: float | None
    end_loss: float | None

    @classmethod
    def of(cls, side: Side) -> Numbers:
        """The numbers of a side that has ended, with at least one step."""
        seconds = [step.seconds for step in steady_steps(side.steps)]
        losses = [step.loss for step in side.steps if step.loss is not None]
        last = losses[-max(1, int(len(losses) * LAST_PART)) :]
        return cls(
            steps=side.count,
            seconds=side.seconds,
            first_step=side.steps[0].end,
            rate=Spread.of([1 / each for each in seconds]),
            peak=side.peak,
            first_loss=losses[0] if losses else None,
            final_loss=losses[-1] if losses else None,
            end_loss=math.fsum(last) / len(last) if last and all(map(math.isfinite, last)) else None,
        )


def notes_on(legacy: Numbers, modern: Numbers) -> list[str]:
    """Notes on how far the rates can be trusted."""
    rates = [legacy.rate, modern.rate]
    notes = ["too few steps for a steady state"] * (None in rates)
    if any(rate is not None and rate.count < 30 for rate in rates):
        notes.append("fewer than 30 steps in the steady state: the rates are rough")
    return notes


def ratio_of(modern: Spread | None, legacy: Spread | None) -> dict[str, float] | None:
    """The ratio of the medians, and its least and most between the quartiles; None if none."""
    if modern is None or legacy is None or not legacy.low:
        return None
    return {
        "median": modern.median / legacy.median,
        "low": modern.low / legacy.high,
        "high": modern.high / legacy.low,
    }


# -- the final table -------------------------------------------------------------------------------


def table(legacy: Numbers, modern: Numbers) -> str:
    """The table's columns: title, legacy, modern, and what compares them.

    Losses have their difference. Only steps/s have a ratio, for they alone have a spread: all else
    is measured once.
    """
    rows: list[tuple[str, ...]] = [("", "legacy", "modern", "modern/legacy")]
    for title, name, shown, compared in _ROWS:
        left, right = getattr(legacy, name), getattr(modern, name)
        cells = [NOTHING if value is None else shown(value) for value in (left, right)]
        if compared is not None:
            cells.append(NOTHING if None in (left, right) else compared(right, left))
        rows.append((title, *cells, *[""] * (3 - len(cells))))
    return "\n".join(columns(rows, right=range(1, 4)))


def times(modern: Spread | None, legacy: Spread | None, text: str = "{median:.2f}x") -> str:
    """The ratio as text: '1.23x', or by another format."""
    ratio = ratio_of(modern, legacy)
    return NOTHING if ratio is None else text.format(**ratio)


spread = partial(times, text="{low:.2f} to {high:.2f}")


def _difference(modern: float, legacy: float) -> str:
    return f"{modern - legacy:+.4f}"


def _seconds(value: float) -> str:
    """Seconds as text: '12.3 s' or '2:05 min'."""
    return f"{value:.2f} s" if value < 60 else f"{int(value) // 60}:{int(value) % 60:02} min"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


#: title, field of `Numbers`, its text, and the text of the last column; None: it stays empty
_ROWS: tuple[tuple[str, str, Callable[[Any], str], Callable[[Any, Any], str] | None], ...] = (
    ("steps", "steps", str, None),
    ("time to the first step", "first_step", _seconds, None),
    ("steps/s, median", "rate", lambda rate: _short(rate.median), times),
    ("  its middle half", "rate", lambda rate: f"{_short(rate.low)} to {_short(rate.high)}", spread),
    ("peak memory", "peak", lambda value: f"{value / 2**20:,.0f} MiB", None),
    ("first loss", "first_loss", number, _difference),
    ("final loss", "final_loss", number, _difference),
    ("  mean of the last tenth", "end_loss", number, _difference),
    ("the whole process", "seconds", _seconds, None),
)
