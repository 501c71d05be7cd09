"""The losses of both runs in one chart, and as numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest

from tf2towers.report import parity_words as words
from tf2towers.report.html import chart
from tf2towers.report.html.elements import Markup, element, joined, row, table
from tf2towers.report.parity_result import ParityResult, Side

#: rows of the table of numbers
LISTED = 200


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
