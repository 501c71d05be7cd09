"""A result as SARIF 2.1.0 for code scanning; a test validates it by the schema of OASIS."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from tf2towers import __version__
from tf2towers.report.paths import display_path
from tf2towers.report.result import Finding, MigrationResult
from tf2towers.report.rule import Rule, explain, markdown, wrap_paragraphs

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ACCEPTED = {"noqa": "a # noqa on the line", "ignore": "--ignore"}


def render(
    results: Sequence[MigrationResult], rule_of: Callable[[str], type[Rule] | None] = lambda _: None
) -> str:
    """All results as one SARIF log with one run; `rule_of` looks up a rule."""
    findings = [finding for result in results for finding in result.findings]
    codes = sorted({finding.code for finding in findings})
    errors = [result for result in results if result.error is not None]
    notifications = [
        {"level": "error", "message": {"text": result.error}, "locations": [_location(result.script)]}
        for result in errors
    ]
    rules = [_rule(code, rule_of(code)) for code in codes]
    run = {
        "tool": {"driver": {"name": "tf2towers", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not errors, "toolExecutionNotifications": notifications}],
        "results": [_result(finding, codes.index(finding.code)) for finding in findings],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(code: str, rule: type[Rule] | None) -> dict[str, object]:
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": wrap_paragraphs(rule.why)},
        "help": {"text": explain(rule), "markdown": f"# {code}: {rule.title}\n\n{markdown(rule)}"},
        "defaultConfiguration": {"level": "warning" if rule.does == "refuses" else "note"},
        "properties": {"does": rule.does, "safe": rule.safe and rule.does == "changes"},
    }


def _result(finding: Finding, index: int) -> dict[str, object]:
    text = f"{finding.message}. To do: {finding.todo}" if finding.todo else finding.message
    location = _location(finding.path)
    if finding.cell is None:
        location["physicalLocation"]["region"] = {
            "startLine": max(finding.line, 1),
            "startColumn": max(finding.column, 1),
        }
    else:  # the lines of a notebook's code are not lines of its file
        text = f"Cell {finding.cell}, line {finding.line}: {text}"
    left = finding.kind in ("left", "edit")
    kind = "inSource" if finding.accepted_by == "noqa" else "external"
    accepted = {"kind": kind, "status": "accepted", "justification": _ACCEPTED.get(finding.accepted_by)}
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": "warning" if left else "none",  # SARIF requires "none" for a result that is not a failure
        "kind": "fail" if left else "informational",
        "message": {"text": text},
        "locations": [location],
        "suppressions": [accepted] if finding.accepted_by else [],  # an empty list means: not suppressed
    }


def _location(path: Path) -> dict[str, dict[str, object]]:
    name = display_path(path)
    uri = path.absolute().as_uri() if name.startswith("/") else quote(os.fsencode(name))
    return {"physicalLocation": {"artifactLocation": {"uri": uri}}}
