"""The result of a comparison as text, page and JSON, with the machine it was measured on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tf2towers.compare.side import Side
from tf2towers.compare.summary import Numbers, notes_on, ratio_of, spread, table, times
from tf2towers.report.html import curves, document, element, section
from tf2towers.report.paths import display_path


@dataclass(frozen=True)
class Outcome:
    """The result of both trainings.

    Attributes:
        sides: the legacy and the modern one.
        commands: the command line of each side.
        how: sentences on how the trainings ran.
    """

    sides: tuple[Side, Side]
    commands: tuple[str, str]
    arguments: Sequence[str]
    machine: str
    how: str

    @cached_property
    def numbers(self) -> tuple[Numbers, Numbers]:
        """The numbers of each side."""
        legacy, modern = self.sides
        return Numbers.of(legacy), Numbers.of(modern)

    @property
    def notes(self) -> list[str]:
        """Sentences that a reader needs to judge the numbers."""
        of_sides = [f"{side.title}: {note}" for side in self.sides for note in side.notes]
        return [*of_sides, *notes_on(*self.numbers)]

    def as_dict(self) -> dict[str, Any]:
        """All numbers, with those of each step."""
        legacy, modern = self.numbers
        sides = {
            side.title: {
                "script": side.script,
                "command": command,
                "python": side.python,
                "tensorflow": side.tensorflow,
                "towers": side.towers,
                **asdict(numbers),
                "each_step": [asdict(step) for step in side.steps],
            }
            for side, numbers, command in zip(self.sides, self.numbers, self.commands, strict=True)
        }
        return {
            "machine": self.machine,
            "how": self.how,
            "arguments": list(self.arguments),
            **sides,
            "ratio": {"rate": ratio_of(modern.rate, legacy.rate)},
            "notes": self.notes,
        }


def machine() -> str:
    """The cores, processor, system and load of this machine, by which rates are judged."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    about = Path("/proc/cpuinfo")
    lines = about.read_text(encoding="utf-8", errors="replace").splitlines() if about.exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    load = os.getloadavg()[0]
    busy = ": other work runs, and changes the rates" if load > (cores or 1) / 2 else ""
    return f"{cores} cores ({model or platform.machine()}), {platform.system()}, load {load:.1f} at the start{busy}"


def as_text(outcome: Outcome) -> str:
    """The text that is printed at the end."""
    scripts = [f"{side.title}: {side.script}" for side in outcome.sides]
    about = [outcome.how, f"the machine: {outcome.machine}", *(f"note: {note}" for note in outcome.notes)]
    return "\n".join([*scripts, "", table(*outcome.numbers), "", *about])


def page(outcome: Outcome) -> str:
    """One HTML file without external resources. Its throughput curve omits the first step."""
    scripts = [side.script for side in outcome.sides]
    headline = f"{' and '.join(map(display_path, scripts))}, side by side"
    legacy, modern = outcome.numbers
    between = spread(modern.rate, legacy.rate)
    meaning = f" the steps a second of the legacy program, in the steady state ({between}). {outcome.how}"
    runs = [
        element(
            "li", f"{side.title}, {display_path(side.script)}: ", element("code", command), _versions(side)
        )
        for side, command in zip(outcome.sides, outcome.commands, strict=True)
    ]
    notes = [element("li", note) for note in (f"the machine: {outcome.machine}", *outcome.notes)]
    losses = {
        side.title: [(step.number, step.loss) for step in side.steps if step.loss is not None]
        for side in outcome.sides
    }
    rates = {
        side.title: [(step.number, 1 / step.seconds) for step in side.steps[1:] if step.seconds > 0]
        for side in outcome.sides
    }
    return document(
        headline,
        scripts,
        [element("h1", headline), element("p", element("b", times(modern.rate, legacy.rate)), meaning)],
        element("pre", table(legacy, modern)),
        curves("Loss", "loss", losses),
        curves("Throughput", "steps a second", rates, bottom=0),
        section("runs", "What was run", element("ul", *runs, *notes)),
    )


def _versions(side: Side) -> str:
    return f", Python {side.python}" + (f", TensorFlow {side.tensorflow}" if side.tensorflow else "")
