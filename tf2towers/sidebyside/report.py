"""The folder of a report: the page, the pictures, the numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tf2towers.report.html import chart
from tf2towers.report.html.document import document
from tf2towers.report.html.elements import Markup, element, joined, row, section
from tf2towers.report.html.elements import table as html_table
from tf2towers.sidebyside import table
from tf2towers.sidebyside.outcome import Outcome
from tf2towers.sidebyside.side import Side
from tf2towers.sidebyside.summary import Summary

_COLOURS = ("#b45309", "#1d4ed8")


# -- the curves of a comparison: what is drawn, whoever draws it -------------------------------------------------------

Points = list[tuple[int, float]]


@dataclass(frozen=True)
class Picture:
    """Two curves over the steps, (step, value) points each, by title."""

    name: str  # of its file
    title: str
    y: str  # what the vertical axis says
    curves: tuple[tuple[str, Points], ...]
    from_zero: bool = False


def pictures(sides: Sequence[Side], summary: Summary) -> list[Picture]:
    """Loss and throughput. Throughput leaves out the first step, and steps that were held."""
    losses = tuple(
        (side.title, [(step.number, step.loss) for step in side.steps if step.loss is not None])
        for side in sides
    )
    rates = []
    for side, numbers in zip(sides, (summary.legacy, summary.modern), strict=True):
        per_step = numbers.examples if summary.unit == "examples" and numbers.examples else 1
        points = [
            (step.number, per_step / step.seconds)
            for step in side.steps[1:]
            if not step.interrupted and step.seconds > 0
        ]
        rates.append((side.title, points))
    return [
        Picture("loss", "Loss", "loss", losses),
        Picture("throughput", "Throughput", f"{summary.unit} a second", tuple(rates), from_zero=True),
    ]


# -- the report as one HTML file that needs no other -------------------------------------------------------------------


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


# -- the files ---------------------------------------------------------------------------------------------------------


def write_report(outcome: Outcome, folder: Path) -> list[Path]:
    """Writes index.html, compare.json and, where matplotlib is installed, loss.png and throughput.png.

    Returns:
        The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "index.html", folder / "compare.json"]
    files[0].write_text(page(outcome), encoding="utf-8")
    files[1].write_text(json.dumps(outcome.as_json(), indent=1) + "\n", encoding="utf-8")
    for picture in pictures(outcome.sides, outcome.summary):
        path = folder / f"{picture.name}.png"
        try:
            draw(picture, path)
        except ImportError:
            continue
        files.append(path)
    return files


def draw(picture: Picture, path: Path) -> None:
    """Draws it as a PNG.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    styles = [(3.5, 0.45), (1.3, 1.0)]  # the legacy curve wide, the modern one thin on top of it
    for (title, points), colour, (width, alpha) in zip(picture.curves, _COLOURS, styles, strict=True):
        axes.plot(
            *zip(*points, strict=True), color=colour, linewidth=width, alpha=alpha, label=title
        ) if points else None
    axes.set_title(picture.title)
    axes.set_xlabel("step")
    axes.set_ylabel(picture.y)
    if picture.from_zero:
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    if any(points for _, points in picture.curves):
        axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
