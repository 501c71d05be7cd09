"""Which findings are reported: `--select`, `--ignore` and `# noqa`, as ruff has them.

They choose among findings, never among edits: half of the rewrites would make no program. A site that is left and not
reported is one that the user takes over; `Finding.accepted_by` says so, and the summary counts it.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tf2towers.report.result import Finding, MigrationResult

#: every rule, as ruff says it
ALL = "ALL"
_CODE = r"[A-Z][A-Z0-9]+"
#: bare, or with codes; what has a colon and no codes is neither. `# tf2towers: noqa` is for us alone: ruff takes T2T624
#: for two codes, and warns
_NOQA = re.compile(
    rf"#\s*(?P<own>tf2towers\s*:\s*)?noqa(?:\s*:\s*(?P<codes>{_CODE}(?:[\s,]+{_CODE})*)|\b(?!\s*:))",
    re.IGNORECASE,
)
_LINE_END = re.compile(r"\r\n|\n|\r")
_CELL = re.compile(r"^# %% cell (\d+)\n", re.MULTILINE)


def codes_given(text: str) -> tuple[str, ...]:
    """The codes, or beginnings of codes, of an option: `T2T620,T2T3`."""
    return tuple(code.strip().upper() for code in text.split(",") if code.strip())


def check_code(text: str) -> tuple[str, ...]:
    """The same for argparse, which says what is wrong with a code that no rule has."""
    codes = codes_given(text)
    if wrong := unknown_code_message(codes):
        raise argparse.ArgumentTypeError(wrong)
    return codes


def unknown_code_message(codes: Iterable[str]) -> str:
    """A sentence about a code that no rule begins with; empty where there is none."""
    from tf2towers.codemod.rule import codes as every_code

    known = every_code()
    for code in codes:
        if code != ALL and not any(rule.startswith(code) for rule in known):
            return f"no rule's code begins with {code} (`tf2towers rules` lists them)"
    return ""


@dataclass(frozen=True)
class Selection:
    """The codes to report and not to report, each a code or a prefix of some."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def reason(self, code: str) -> str:
        """Why a code is not reported: "ignore" or "select"; empty where it is reported. The longer prefix decides."""
        wanted = _longest(self.select, code) if self.select else 0
        unwanted = _longest(self.ignore, code)
        if unwanted >= 0 and unwanted >= wanted:
            return "ignore"
        return "" if wanted >= 0 else "select"

    def applied(self, result: MigrationResult) -> MigrationResult:
        """A result whose findings say which of them the user accepted."""
        lines = _Lines(result)
        findings = [self._decided(finding, lines) for finding in result.findings]
        return replace(result, findings=findings)

    def _decided(self, finding: Finding, lines: _Lines) -> Finding:
        reason = self.reason(finding.code)
        if reason:
            return replace(finding, accepted_by=reason)
        comments = list(_NOQA.finditer(lines.of(finding)))
        if any(_accepts(comment, finding) for comment in comments):
            return replace(finding, accepted_by="noqa")
        if any(comment["codes"] is None for comment in comments):
            mark = "# noqa"
            more = f"A bare `{mark}` does not accept a site that is left; `{mark}: {finding.code}` does."
            return replace(finding, todo=f"{finding.todo} {more}".lstrip())
        return finding


def _accepts(comment: re.Match[str], finding: Finding) -> bool:
    """Whether such a comment is about a finding."""
    if comment["codes"] is not None:
        named = re.findall(_CODE, comment["codes"].upper())
        return any(code.startswith("T2T") and finding.code.startswith(code) for code in named)
    # a bare one was most likely written for another tool, years ago: nobody has accepted that a site is left
    return finding.kind != "left" or comment["own"] is not None


def _longest(beginnings: Iterable[str], code: str) -> int:
    """The length of the longest beginning of a code; -1 where none is one."""
    starts = ["" if start == ALL else start for start in beginnings]
    return max((len(start) for start in starts if code.startswith(start)), default=-1)


class _Lines:
    """The lines that findings are on, as they were before anything was migrated."""

    def __init__(self, result: MigrationResult) -> None:
        self._texts = {change.path: change.before for change in result.changes}
        self._lines: dict[tuple[Path, int | None], list[str]] = {}

    def of(self, finding: Finding) -> str:
        """The line of a finding; empty where it cannot be read."""
        key = (finding.path, finding.cell)
        if key not in self._lines:
            self._lines[key] = _LINE_END.split(self._text(finding))
        lines = self._lines[key]
        return lines[finding.line - 1] if 0 < finding.line <= len(lines) else ""

    def _text(self, finding: Finding) -> str:
        text = self._texts.get(finding.path)
        if text is None:
            try:
                text = finding.path.read_bytes().decode("utf-8", errors="replace").removeprefix("\ufeff")
            except OSError:
                return ""
        if finding.cell is None:
            return text
        parts = _CELL.split(text)
        return dict(zip(parts[1::2], parts[2::2], strict=True)).get(str(finding.cell), "")
