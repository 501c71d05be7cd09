"""The result of a comparison: as an object, as a page, and as JSON; and the machine that it was measured on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tf2towers.compare.side import Side
from tf2towers.compare.summary import Numbers, Summary, ratio, table, times
from tf2towers.report.html.elements import document, element, joined, section
from tf2towers.report.html.picture import Picture, draw_picture
from tf2towers.report.parity_json import as_json
from tf2towers.report.paths import display_path


@dataclass(frozen=True)
class Outcome:
    """Both trainings, ended.

    Attributes:
        commands: the command line of each side.
        how: one sentence on how it was measured.
    """

    legacy: Side
    modern: Side
    summary: Summary
    commands: tuple[str, str]
    arguments: Sequence[str]
    machine: str
    how: str

    def as_dict(self) -> dict[str, Any]:
        """Everything, with each step."""
        summary = self.summary
        return {
            "machine": self.machine,
            "how": self.how,
            "arguments": list(self.arguments),
            "legacy": _side(self.legacy, summary.legacy, self.commands[0]),
            "modern": _side(self.modern, summary.modern, self.commands[1]),
            "ratio": {
                "rate": summary.speed,
                "first_step": ratio(summary.modern.first_step, summary.legacy.first_step),
                "peak": ratio(summary.modern.peak, summary.legacy.peak),
            },
            "notes": summary.notes,
        }


def _side(side: Side, numbers: Numbers, command: str) -> dict[str, Any]:
    return {
        "script": side.script,
        "command": command,
        "python": side.python,
        "tensorflow": side.tensorflow,
        "towers": side.towers,
        **asdict(numbers),
        "each_step": [asdict(step) for step in side.steps],
    }


def machine() -> str:
    """Cores, processor, system and load: numbers of two trainings mean nothing without them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    about = Path("/proc/cpuinfo")
    lines = about.read_text(encoding="utf-8", errors="replace").splitlines() if about.exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    load = os.getloadavg()[0]
    busy = ": other work, which rates and their ratio follow" if load > (cores or 1) / 2 else ""
    return f"{cores} cores ({model or platform.machine()}), {platform.system()}, load {load:.1f} at the start{busy}"


# -- the report: the page with its pictures, and the numbers -----------------------------------------------------------


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
    names = [display_path(side.script) for side in (outcome.legacy, outcome.modern)]
    headline = f"{' and '.join(names)}, side by side"
    speed = element("b", times(outcome.summary.speed))
    meaning = f" the steps a second of the legacy program, in the steady state. {outcome.how}"
    ran = []
    for side, name, command in zip((outcome.legacy, outcome.modern), names, outcome.commands, strict=True):
        about = f", Python {side.python}" + (f", TensorFlow {side.tensorflow}" if side.tensorflow else "")
        ran.append(element("li", f"{side.title}, {name}: ", element("code", command), about))
    said = [f"the machine: {outcome.machine}", *outcome.summary.notes]
    return document(
        headline,
        [side.script for side in (outcome.legacy, outcome.modern)],
        joined([element("h1", headline), element("p", speed, meaning)]),
        element("pre", table(outcome.summary)),
        *map(draw_picture, pictures((outcome.legacy, outcome.modern))),
        section("runs", "What was run", element("ul", *ran, *(element("li", note) for note in said))),
    )


def write_report(outcome: Outcome, folder: Path) -> list[Path]:
    """Writes index.html and compare.json, and gives their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "index.html", folder / "compare.json"]
    files[0].write_text(page(outcome), encoding="utf-8")
    files[1].write_text(as_json(outcome.as_dict()), encoding="utf-8")
    return files
