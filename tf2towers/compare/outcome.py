"""The result of a comparison, as an object and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tf2towers.compare.side import Side
from tf2towers.compare.summary import Numbers, Summary, ratio
from tf2towers.report.paths import short_names


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

    @property
    def names(self) -> tuple[str, str]:
        """What the two files are called: two of one name by the folders that they are in."""
        return short_names(self.legacy.script, self.modern.script)

    def as_json(self) -> dict[str, Any]:
        """Everything, with each step. Numbers that are not finite are null: JSON has none."""
        summary = self.summary
        found = {
            "machine": self.machine,
            "how": self.how,
            "arguments": list(self.arguments),
            "unit": summary.unit,
            "legacy": _side(self.legacy, summary.legacy, self.commands[0]),
            "modern": _side(self.modern, summary.modern, self.commands[1]),
            "ratio": {
                "rate": summary.speed,
                "first_step": ratio(summary.modern.first_step, summary.legacy.first_step),
                "peak": ratio(summary.modern.peak, summary.legacy.peak),
            },
            "notes": summary.notes,
        }
        finite = _finite(found)
        assert isinstance(finite, dict)
        return finite


def _side(side: Side, numbers: Numbers, command: str) -> dict[str, Any]:
    return {
        "script": str(side.script),
        "command": command,
        "python": side.python,
        "tensorflow": side.tensorflow,
        "towers": side.towers,
        **asdict(numbers),
        "each_step": [asdict(step) for step in side.steps],
    }


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list) else value
