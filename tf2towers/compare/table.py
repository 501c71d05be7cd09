"""The final table, as rows and as text."""

from __future__ import annotations

import math

from tf2towers.compare.summary import Spread, Summary, ratio
from tf2towers.report.parity_text import columns

NOTHING = "-"


def text(summary: Summary) -> str:
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
