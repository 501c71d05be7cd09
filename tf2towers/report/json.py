"""A result as JSON for programs; `version` changes when a field changes its meaning."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tf2towers.report.diff import unified_diff
from tf2towers.report.paths import display_path
from tf2towers.report.result import EditedLine, Finding, MigrationResult

VERSION = 1


def as_json(document: Any) -> str:
    """Any document of numbers, texts and paths as JSON in ASCII, with a line feed at its end."""
    return json.dumps(_plain(document), indent=2, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Converts NumPy's numbers to Python's, and paths and floats that are not finite to texts."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Path):
        return display_path(value)
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, float) and not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    return number


def render(results: Sequence[MigrationResult], _: object = None) -> str:
    """Returns all results as one JSON object."""
    status = max(map(_status, results), default=0)
    return as_json({"version": VERSION, "status": status, "results": list(map(_result, results))})


def _status(result: MigrationResult) -> int:
    """With `--check` a line that would be rewritten counts."""
    return max(result.status, int(any(finding.kind == "edit" for finding in result.findings)))


def _result(result: MigrationResult) -> dict[str, object]:
    return {
        "script": result.script,
        "status": _status(result),
        "error": result.error,
        "changes": [
            {
                "path": change.path,
                "encoding": change.encoding,
                "diff": "".join(unified_diff(change)),
                "edits": list(map(_edit, change.edited_lines())),
            }
            for change in result.changes
        ],
        "copied": result.copied,
        "requirements": result.requirements,
        "findings": list(map(_finding, result.findings)),
    }


def _edit(edit: EditedLine) -> dict[str, object]:
    """The fields of an edited line; `cell` and `added` only where they say something."""
    return {name: value for name, value in edit._asdict().items() if value not in (None, False)}


def _finding(finding: Finding) -> dict[str, object]:
    return {name: value for name, value in asdict(finding).items() if name != "cell" or value is not None}
