"""The charts of the page: how far the worst things are apart, and the losses, also as numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest

from tf2towers.report import parity_words as words
from tf2towers.report.html import chart
from tf2towers.report.html.chart import Scale, decades, thinned
from tf2towers.report.html.elements import Markup, element, joined, row, table
from tf2towers.report.parity_result import Comparison, ParityResult, Side

#: rows of the table of numbers
LISTED = 200

# -- how far the worst things are apart, step by step, on a logarithmic scale ------------------------------------------

#: lines that are drawn; the others are named
DRAWN = 10
#: the height of the band for zero, which has no logarithm, and of the one for what is no number
_BAND = 36.0


def error_chart(result: ParityResult) -> Markup:
    """The chart and its legend; a sentence where nothing differs."""
    apart = [found for found in words.worst_first(result.comparisons) if found.errors and not found.problem]
    apart = [found for found in apart if not found.bitwise]
    if not apart:
        return element("p", "No difference was measured, so there is nothing to draw.")
    drawn, left = apart[:DRAWN], apart[DRAWN:]
    count = max(len(found.errors) for found in drawn)
    x, height = chart.steps_scale(count), _Height(drawn, result.tolerance)
    curves, ends = [], []
    for place, comparison in enumerate(drawn):
        points = [(x(step), height(error)) for step, error in thinned(comparison.errors)]
        curves.append(chart.curve(points, f"series-{place}"))
        ends.append(points[-1])
    labels = [
        element("text", str(place + 1), x=end[0] + 8, y=y + 4)
        for place, (end, y) in enumerate(zip(ends, chart.spread([y for _, y in ends]), strict=True))
    ]
    drawing = chart.chart(
        "error-chart",
        "Relative difference at each step",
        _description(drawn, count),
        height.axis(),
        chart.steps_axis(count),
        *curves,
        element("g", *labels, class_="axis"),
        chart.frame(),
    )
    return joined([drawing, _legend(drawn), _others(left)])


class _Height:
    """From an error to y: a band of its own for zero below, and for NaN and infinity above where there are any."""

    def __init__(self, drawn: Sequence[Comparison], tolerance: float) -> None:
        errors = [abs(error) for comparison in drawn for error in comparison.errors]
        self.tolerance = tolerance if tolerance > 0 and math.isfinite(tolerance) else None
        self.odd = not all(map(math.isfinite, errors))
        sizes = [math.log10(error) for error in errors if error and math.isfinite(error)]
        sizes += [math.log10(self.tolerance)] if self.tolerance else []
        self.low = math.floor(min(sizes, default=-8.0))
        self.high = max(math.ceil(max(sizes, default=0.0)), self.low + 1)
        top = chart.TOP + (_BAND if self.odd else 0.0)
        self.scale = Scale(float(self.low), float(self.high), chart.BOTTOM - _BAND, top)

    def __call__(self, error: float) -> float:
        if not math.isfinite(error):
            return chart.TOP + _BAND / 2
        return self.scale(math.log10(abs(error))) if error else chart.BOTTOM - _BAND / 2

    def axis(self) -> Markup:
        places = [(self.scale(exponent), f"1e{exponent}") for exponent in decades(self.low, self.high)]
        places.append((self(0.0), "0"))
        places += [(self(math.inf), "inf, NaN")] if self.odd else []
        parts = [chart.value_axis("relative difference", places)]
        if self.tolerance:
            y = self(self.tolerance)
            parts.append(element("line", x1=chart.LEFT, x2=chart.RIGHT, y1=y, y2=y, class_="tolerance"))
            label = f"tolerance {words.number(self.tolerance)}"
            parts.append(element("text", label, x=chart.LEFT + 6, y=y - 4, class_="tolerance-label"))
        return joined(parts)


def _description(drawn: Sequence[Comparison], count: int) -> str:
    worst = drawn[0]
    return (
        f"{words.counted(len(drawn), 'line')} over {words.counted(count, 'step')}, on a logarithmic scale. "
        f"The worst is the {worst.kind} {worst.name}: up to {words.ceiling(worst.max_rel)}. "
        "A point at 0 has no difference."
    )


def _legend(drawn: Sequence[Comparison]) -> Markup:
    rows = [
        element(
            "li", chart.sample(f"series-{place}"), " ", comparison.kind, " ", element("code", comparison.name)
        )
        for place, comparison in enumerate(drawn)
    ]
    return element("ol", *rows, class_="legend")


def _others(left: Sequence[Comparison]) -> Markup:
    if not left:
        return Markup()
    names = joined([joined([f"{found.kind} ", element("code", found.name)]) for found in left], ", ")
    summary = element("summary", f"{len(left)} more that differ, none of them further apart, are not drawn")
    return element("details", summary, element("p", names, "."))


# -- the losses of both runs -------------------------------------------------------------------------------------------


def loss_chart(result: ParityResult) -> Markup:
    """The original's curve wide, the migrated one's thin on top of it; a sentence where there are no losses."""
    sides = (result.original, result.migrated)
    count = max(len(side.losses) for side in sides)
    if not count:
        return element("p", "No losses were recorded.")
    drawing = chart.two_curves(
        "loss-chart",
        "Loss of both runs at each step",
        " ".join(_described(side) for side in sides),
        "loss",
        [list(enumerate(side.losses)) for side in sides],
    )
    odd = any(not math.isfinite(loss) for side in sides for loss in side.losses)
    legend = chart.two_titles([side.title for side in sides], odd)
    return joined([drawing, legend, _uneven(sides), _numbers(sides, count)])


def _described(side: Side) -> str:
    if not side.losses:
        return f"The {side.title} run: no losses."
    odd = sum(not math.isfinite(loss) for loss in side.losses)
    ending = f", {odd} of them no number" if odd else ""
    first, last = words.number(side.losses[0]), words.number(side.losses[-1])
    return f"The {side.title} run: {words.counted(len(side.losses), 'step')}, from {first} to {last}{ending}."


def _uneven(sides: Sequence[Side]) -> Markup:
    mine, its = sides
    if len(mine.losses) == len(its.losses):
        return Markup()
    lengths = f"The {mine.title} run has {len(mine.losses)}, the {its.title} one {len(its.losses)}."
    return element("p", "Not the same number of losses. ", lengths, class_="warning")


def _numbers(sides: Sequence[Side], count: int) -> Markup:
    mine, its = sides
    rows = []
    for step, (before, after) in enumerate(zip_longest(mine.losses[:LISTED], its.losses[:LISTED])):
        apart = "" if before is None or after is None else words.number(after - before)
        cells = ["" if loss is None else f"{float(loss):.9g}" for loss in (before, after)]
        rows.append(row(str(step), (*cells, apart), "number"))
    numbers = table("Losses", ("step", mine.title, its.title, "difference"), rows)
    more = element("p", f"And {count - LISTED} more steps.") if count > LISTED else Markup()
    return element("details", element("summary", "The losses as numbers"), numbers, more)
