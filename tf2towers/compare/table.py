"""The final table, as rows and as text."""

from __future__ import annotations

import math

from tf2towers.compare.summary import Numbers, Spread, Summary, ratio
from tf2towers.report.parity_text import columns

Row = tuple[str, str, str, str]
NOTHING = "-"


def rows(summary: Summary) -> list[Row]:
    """What is said, legacy, modern, and modern by legacy (of losses: their difference)."""
    mine, theirs = summary.legacy, summary.modern

    def timed(title: str, name: str) -> Row:
        left, right = getattr(mine, name), getattr(theirs, name)
        return title, seconds(left), seconds(right), times(ratio(right, left))

    def loss(title: str, name: str) -> Row:
        left, right = getattr(mine, name), getattr(theirs, name)
        apart = NOTHING if left is None or right is None else f"{right - left:+.4f}"
        return title, number(left), number(right), apart

    return [
        ("steps", str(mine.steps), str(theirs.steps), ""),
        timed("time to the first step", "first_step"),
        (f"{summary.unit}/s, median", rate(mine.rate), rate(theirs.rate), times(summary.speed)),
        ("  its middle half", quartiles(mine.rate), quartiles(theirs.rate), spread(theirs.rate, mine.rate)),
        ("a step, median", step(mine), step(theirs), times(ratio(theirs.step_seconds, mine.step_seconds))),
        (
            "  its middle half",
            step_quartiles(mine.step_seconds),
            step_quartiles(theirs.step_seconds),
            spread(theirs.step_seconds, mine.step_seconds),
        ),
        ("peak memory", memory(mine.peak), memory(theirs.peak), times(ratio(theirs.peak, mine.peak))),
        loss("first loss", "first_loss"),
        loss("final loss", "final_loss"),
        loss("  mean of the last tenth", "end_loss"),
        loss("accuracy", "accuracy"),
        timed("the whole process", "seconds"),
    ]


def text(summary: Summary) -> str:
    """The table in columns."""
    return "\n".join(columns([("", "legacy", "modern", "modern/legacy"), *rows(summary)], right=range(1, 4)))


def rate(spread: Spread | None) -> str:
    """A rate's median."""
    return NOTHING if spread is None else _short(spread.median)


def quartiles(spread: Spread | None) -> str:
    """A rate's quartiles."""
    return NOTHING if spread is None else f"{_short(spread.low)} to {_short(spread.high)}"


def step_quartiles(seconds: Spread | None) -> str:
    """The quartiles of a step's seconds, in ms."""
    return NOTHING if seconds is None else f"{seconds.low * 1000:.1f} to {seconds.high * 1000:.1f}"


def spread(over: Spread | None, under: Spread | None) -> str:
    """From the least to the most that a ratio is, where both are within their quartiles."""
    if over is None or under is None or not under.low or not under.high:
        return NOTHING
    return f"{over.low / under.high:.2f} to {over.high / under.low:.2f}"


def step(numbers: Numbers) -> str:
    """A step's seconds, in ms."""
    return NOTHING if numbers.step_seconds is None else f"{numbers.step_seconds.median * 1000:.1f} ms"


def seconds(value: float | None) -> str:
    """Seconds, as '12.3 s' or '2:05 min'."""
    if value is None:
        return NOTHING
    return f"{value:.2f} s" if value < 60 else f"{int(value) // 60}:{int(value) % 60:02} min"


def memory(value: int | None) -> str:
    """Bytes, in MiB."""
    return NOTHING if value is None else f"{value / 2**20:,.0f} MiB"


def number(value: float | None) -> str:
    """A loss or an accuracy."""
    if value is None:
        return NOTHING
    return f"{value:.4f}" if math.isfinite(value) and abs(value) < 1e5 else f"{value:g}"


def times(value: float | None) -> str:
    """A ratio, as '1.23x'."""
    return NOTHING if value is None else f"{value:.2f}x"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
