"""The sites that the user accepts, by `--ignore` and `# noqa` as in ruff.

They select among findings, never among edits: a program with half of its edits would not run. A
site that is left and accepted is not reported; `Finding.accepted_by` says how it was accepted, and
the summary counts it.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from tf2towers.report.result import Finding, MigrationResult

_CODE = r"[A-Z][A-Z0-9]+"
#: bare, or with codes; with a colon and no codes, it is neither. `# tf2towers: noqa` is for
#: tf2towers alone, because ruff reads T2T624 as two codes and warns
_NOQA = re.compile(
    rf"#\s*(?P<own>tf2towers\s*:\s*)?noqa(?:\s*:\s*(?P<codes>{_CODE}(?:[\s,]+{_CODE})*)|\b(?!\s*:))",
    re.IGNORECASE,
)
_LINE_END = re.compile(r"\r\n|\n|\r")
_CELL = re.compile(r"^# %% cell (\d+)\n", re.MULTILINE)


def parse_codes(text: str) -> tuple[str, ...]:
    """Parses an option's codes or beginnings of codes (`T2T620,T2T3`); unknown ones are errors."""
    from tf2towers.codemod.rule import codes

    given = tuple(code.strip().upper() for code in text.split(",") if code.strip())
    for code in given:
        if not any(known.startswith(code) for known in codes()):
            raise argparse.ArgumentTypeError(
                f"no rule's code begins with {code} (`tf2towers rules` lists them)"
            )
    return given


def mark_accepted(result: MigrationResult, ignored: tuple[str, ...]) -> MigrationResult:
    """The result, with each finding marked that the user accepted.

    Args:
        ignored: beginnings of codes.
    """
    texts = {change.path: change.before for change in result.changes}

    @cache
    def lines(path: Path, cell: int | None) -> list[str]:
        """The lines of a file or a notebook cell before the migration."""
        try:
            text = texts[path] if path in texts else path.read_bytes().decode("utf-8", errors="replace")
        except OSError:
            return []
        parts = _CELL.split(text.removeprefix("\ufeff"))
        cells = dict(zip(parts[1::2], parts[2::2], strict=True))
        return _LINE_END.split(text if cell is None else cells.get(str(cell), ""))

    def marked(finding: Finding) -> Finding:
        if finding.code.startswith(ignored):
            return replace(finding, accepted_by="ignore")
        line = lines(finding.path, finding.cell)[finding.line - 1 : finding.line]
        comments = list(_NOQA.finditer("".join(line)))
        if any(_accepts(comment, finding) for comment in comments):
            return replace(finding, accepted_by="noqa")
        if finding.kind == "left" and any(comment["codes"] is None for comment in comments):
            more = f"A bare `# noqa` does not accept a place that is left; `# noqa: {finding.code}` does."
            return replace(finding, todo=f"{finding.todo} {more}".lstrip())
        return finding

    return replace(result, findings=[marked(finding) for finding in result.findings])


def _accepts(comment: re.Match[str], finding: Finding) -> bool:
    """True if a noqa comment accepts a finding; a bare one does not: it is another tool's."""
    if comment["codes"] is None:
        return comment["own"] is not None
    named = re.findall(_CODE, comment["codes"].upper())
    return any(code.startswith("T2T") and finding.code.startswith(code) for code in named)
