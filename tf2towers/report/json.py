"""A result as JSON, for other programs. `version` changes when a field changes its meaning or goes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from tf2towers.report.paths import display_path
from tf2towers.report.result import Finding, MigrationResult
from tf2towers.report.text import unified_diff

VERSION = 1


def render(results: Sequence[MigrationResult], _: object = None) -> str:
    """All results as one JSON object."""
    document = {
        "version": VERSION,
        "status": max((result.status for result in results), default=0),
        "results": [_result(result) for result in results],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _result(result: MigrationResult) -> dict[str, object]:
    return {
        "script": display_path(result.script),
        "status": result.status,
        "error": result.error,
        "changes": [
            {
                "path": display_path(change.path),
                "encoding": change.encoding,
                "diff": "".join(unified_diff(change)),
            }
            for change in result.changes
        ],
        "copied": [display_path(path) for path in result.copied],
        "findings": [_finding(finding) for finding in result.findings],
    }


def _finding(finding: Finding) -> dict[str, object]:
    fields = asdict(finding) | {"path": display_path(finding.path)}
    return {name: value for name, value in fields.items() if name != "cell" or value is not None}
