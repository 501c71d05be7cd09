"""The result of a comparison, as an object and as JSON, and the machine that it was measured on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tf2towers.compare.side import Side
from tf2towers.compare.summary import Numbers, Summary, ratio


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

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both sides, the legacy one first."""
        return self.legacy, self.modern

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
    load = f"load average {os.getloadavg()[0]:.1f} at the start"
    return f"{cores} cores ({model or platform.machine()}), {platform.system()}, {load}"
