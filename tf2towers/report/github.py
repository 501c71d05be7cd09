"""A result as workflow commands, with which GitHub shows findings beside their lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tf2towers.report.paths import display_path
from tf2towers.report.result import MigrationResult
from tf2towers.report.rule import Rule
from tf2towers.report.text import accepted_words

_COMMANDS = {"left": "warning", "edit": "warning", "changed": "notice", "note": "notice"}

_IN_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = _IN_MESSAGE | str.maketrans({":": "%3A", ",": "%2C"})


def render(results: Iterable[MigrationResult], rule_of: Callable[[str], type[Rule] | None]) -> str:
    """Returns one workflow command for each finding, error and accepted site, one on a line."""
    lines: list[str] = []
    for result in results:
        if result.error is not None:
            lines.append(_command("error", {"file": display_path(result.script)}, result.error))
        if words := accepted_words(result):
            lines.append(_command("notice", {"file": display_path(result.script)}, words.removeprefix(", ")))
        for finding in result.findings:
            if finding.accepted_by:
                continue
            # the lines of a notebook's code are not lines of its file
            line, column, cell = finding.line, finding.column, ""
            if finding.cell is not None:
                line, column, cell = 1, 1, f" in cell {finding.cell}"
            place = {"file": display_path(finding.path), "line": str(line), "col": str(column)}
            rule = rule_of(finding.code)
            place["title"] = f"{finding.code}{f' {rule.name}' if rule else ''}{cell}"
            text = f"{finding.message}\nTo do: {finding.todo}" if finding.todo else finding.message
            lines.append(_command(_COMMANDS[finding.kind], place, text))
    return "".join(lines)


def _command(name: str, properties: dict[str, str], message: str) -> str:
    given = ",".join(f"{key}={value.translate(_IN_PROPERTY)}" for key, value in properties.items())
    return f"::{name} {given}::{message.translate(_IN_MESSAGE)}\n"
