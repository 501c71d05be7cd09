"""A result as SARIF 2.1.0, which code scanning services take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from tf2towers import __version__
from tf2towers.report.paths import shown
from tf2towers.report.result import Finding, MigrationResult

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"left": "warning", "changed": "note", "note": "note"}


def render(results: Sequence[MigrationResult]) -> str:
    """All results as one SARIF log with one run."""
    findings = [finding for result in results for finding in result.findings]
    codes = sorted({finding.code for finding in findings})
    errors = [result for result in results if result.error is not None]
    run = {
        "tool": {
            "driver": {"name": "tf2towers", "version": __version__, "rules": [{"id": code} for code in codes]}
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not errors,
                "toolExecutionNotifications": [
                    {
                        "level": "error",
                        "message": {"text": result.error},
                        "locations": [_location(result.script)],
                    }
                    for result in errors
                ],
            }
        ],
        "results": [_result(finding, codes.index(finding.code)) for finding in findings],
    }
    return (
        json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)
        + "\n"
    )


def _result(finding: Finding, index: int) -> dict[str, object]:
    text = f"{finding.message} To do: {finding.todo}" if finding.todo else finding.message
    location = _location(finding.path)
    if finding.cell is None:
        location["physicalLocation"]["region"] = {
            "startLine": max(finding.line, 1),
            "startColumn": max(finding.column, 1),
        }
    else:  # a notebook's lines are not its file's
        text = f"Cell {finding.cell}, line {finding.line}: {text}"
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.kind],
        "kind": "fail" if finding.kind == "left" else "informational",
        "message": {"text": text},
        "locations": [location],
    }


def _location(path: Path) -> dict[str, dict[str, object]]:
    name = shown(path)
    uri = path.absolute().as_uri() if name.startswith("/") else quote(name)
    return {"physicalLocation": {"artifactLocation": {"uri": uri}}}
