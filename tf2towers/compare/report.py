"""The folder of a report: the page with its pictures, and the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tf2towers.compare import table
from tf2towers.compare.outcome import Outcome
from tf2towers.compare.side import Side
from tf2towers.report.html.elements import document, element, joined, section
from tf2towers.report.html.picture import Picture, draw_picture
from tf2towers.report.parity_json import as_json
from tf2towers.report.paths import display_path


def pictures(sides: Sequence[Side]) -> list[Picture]:
    """Loss and throughput. Throughput leaves out the first step."""
    losses = tuple(
        (side.title, [(step.number, step.loss) for step in side.steps if step.loss is not None])
        for side in sides
    )
    rates = tuple(
        (side.title, [(step.number, 1 / step.seconds) for step in side.steps[1:] if step.seconds > 0])
        for side in sides
    )
    return [
        Picture("loss", "Loss", "loss", losses),
        Picture("throughput", "Throughput", "steps a second", rates, from_zero=True),
    ]


def page(outcome: Outcome) -> str:
    """One HTML file that needs no other."""
    names = [display_path(side.script) for side in outcome.sides]
    headline = f"{' and '.join(names)}, side by side"
    speed = element("b", table.times(outcome.summary.speed))
    meaning = f" the steps a second of the legacy program, in the steady state. {outcome.how}"
    ran = []
    for side, name, command in zip(outcome.sides, names, outcome.commands, strict=True):
        about = f", Python {side.python}" + (f", TensorFlow {side.tensorflow}" if side.tensorflow else "")
        ran.append(element("li", f"{side.title}, {name}: ", element("code", command), about))
    said = [f"the machine: {outcome.machine}", *outcome.summary.notes]
    return document(
        headline,
        [side.script for side in outcome.sides],
        joined([element("h1", headline), element("p", speed, meaning)]),
        element("pre", table.text(outcome.summary)),
        *map(draw_picture, pictures(outcome.sides)),
        section("runs", "What was run", element("ul", *ran, *(element("li", note) for note in said))),
    )


def write_report(outcome: Outcome, folder: Path) -> list[Path]:
    """Writes index.html and compare.json, and gives their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "index.html", folder / "compare.json"]
    files[0].write_text(page(outcome), encoding="utf-8")
    files[1].write_text(as_json(outcome.as_dict()), encoding="utf-8")
    return files
