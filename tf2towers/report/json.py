"""A result as JSON, for other programs. `version` changes when a field changes its meaning or goes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from tf2towers.report.paths import display_path
from tf2towers.report.result import Finding, MigrationResult
from tf2towers.report.text import unified_diff

VERSION = 1


def render(results: Sequence[MigrationResult]) -> str:
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
        "findings": list(_findings(result.findings)),
    }


def _findings(findings: Iterable[Finding]) -> Iterable[dict[str, object]]:
    for finding in findings:
        yield {
            "code": finding.code,
            "kind": finding.kind,
            "path": display_path(finding.path),
            "line": finding.line,
            "column": finding.column,
            "message": finding.message,
            "todo": finding.todo,
            "accepted_by": finding.accepted_by,
        } | ({"cell": finding.cell} if finding.cell is not None else {})
