"""The report as one HTML file that needs no other."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tf2towers.report.html import chart
from tf2towers.report.html.document import document
from tf2towers.report.html.elements import Markup, element, joined, scrolling, section
from tf2towers.sidebyside import table
from tf2towers.sidebyside.curves import Picture, pictures
from tf2towers.sidebyside.outcome import Outcome


def page(outcome: Outcome) -> str:
    """The page."""
    summary = outcome.summary
    headline = "{} and {}, side by side".format(*outcome.names)
    speed = element("b", table.times(summary.speed))
    told = f" the {summary.unit} a second of the legacy program, in the steady state. {outcome.how}"
    ran = []
    for side, name, command in zip(outcome.sides, outcome.names, outcome.commands, strict=True):
        about = f", Python {side.python}" + (f", TensorFlow {side.tensorflow}" if side.tensorflow else "")
        ran.append(element("li", f"{side.title}, {name}: ", element("code", command), about))
    said = [f"the machine: {outcome.machine}", *summary.notes]
    return document(
        headline,
        joined([element("h1", headline), element("p", speed, told)]),
        _table(("", "legacy", "modern", "modern/legacy"), table.rows(summary)),
        *(section(one.name, one.title, drawn(one)) for one in pictures(outcome.sides, summary)),
        section("runs", "What was run", element("ul", *ran, *(element("li", note) for note in said))),
    )


def drawn(picture: Picture) -> Markup:
    """The chart of a picture, and its legend; a sentence where there is nothing to draw."""
    curves = [points for _, points in picture.curves]
    if not any(curves):
        return element("p", f"No {picture.title.lower()} was seen.")
    odd = any(not math.isfinite(value) for points in curves for _, value in points)
    low = 0.0 if picture.from_zero else None
    drawing = chart.two_curves(
        f"{picture.name}-chart", picture.title, f"{picture.y} at each step", picture.y, curves, low
    )
    return joined([drawing, chart.two_titles([title for title, _ in picture.curves], odd)])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    lines = [
        element(
            "tr", element("th", first, scope="row"), *(element("td", cell, class_="number") for cell in rest)
        )
        for first, *rest in rows
    ]
    titles = element("tr", *(element("th", cell, scope="col") for cell in head))
    return scrolling("Numbers", element("table", element("thead", titles), element("tbody", *lines)))
