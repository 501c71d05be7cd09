"""The report as one HTML file that needs no other."""

from __future__ import annotations

import math

from tf2towers.report.html import chart
from tf2towers.report.html.document import document
from tf2towers.report.html.elements import Markup, element, joined, row, section
from tf2towers.report.html.elements import table as html_table
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
        html_table(
            "Numbers",
            ("", "legacy", "modern", "modern/legacy"),
            (row(first, rest, "number") for first, *rest in table.rows(summary)),
        ),
        *(
            section(picture.name, picture.title, drawn(picture))
            for picture in pictures(outcome.sides, summary)
        ),
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
