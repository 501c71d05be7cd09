"""How lines are shown on a terminal: in colour, wrapped; on a pipe as they are."""

from __future__ import annotations

import os
import re
import shutil
import textwrap
from typing import TextIO

from tf2towers.report.text import QUOTE

RESET, BOLD, RED, GREEN, YELLOW, CYAN = (f"\x1b[{number}m" for number in (0, 1, 31, 32, 33, 36))

_IN_DIFF = {"---": BOLD, "+++": BOLD, "@@ ": CYAN, "-": RED, "+": GREEN}
_IN_REPORT = (
    (re.compile(r"\bT2T\d{3}\b(?: [a-z][\w-]*(?=:))?"), YELLOW),
    (re.compile(r"\b(?:PARITY|WITHIN TOLERANCE|WITHIN ROUNDING)\b|\bnothing left to you\b"), GREEN),
    (re.compile(r"\b(?:DIFFERS|UNREPEATABLE|could not be compared)\b|\b\d+ places? left to you\b"), RED),
)
#: below this width nothing is readable: longer lines then run over
_NARROWEST = 40


def in_colour(stream: TextIO) -> bool:
    """True if colours go to a stream: a terminal, or by NO_COLOR and FORCE_COLOR (no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def diff_line(line: str, stream: TextIO) -> str:
    """A line of a unified diff, for a stream."""
    if not in_colour(stream):
        return line
    colour = next((colour for start, colour in _IN_DIFF.items() if line.startswith(start)), "")
    body = line.rstrip("\r\n")
    return f"{colour}{body}{RESET}{line[len(body) :]}" if colour else line


def report_line(line: str, stream: TextIO) -> str:
    """A line of a report for a stream: codes and verdicts in colour, long lines wrapped."""
    if stream.isatty():
        line = _wrapped(line, terminal_width())
    return coloured(line, stream)


def write_report(text: str, stream: TextIO) -> None:
    """Writes a report of several lines to a stream, as `report_line` has them."""
    stream.writelines(report_line(line, stream) for line in text.splitlines(True))


def terminal_width() -> int:
    """The characters in a row of the terminal; it counts as at least 40 wide."""
    return max(shutil.get_terminal_size().columns, _NARROWEST)


def coloured(line: str, stream: TextIO) -> str:
    """A line of a report, for a stream: codes and verdicts in colour."""
    if in_colour(stream):
        for pattern, colour in _IN_REPORT:
            line = pattern.sub(lambda found, colour=colour: f"{colour}{found[0]}{RESET}", line)  # type: ignore[misc]
    return line


def _wrapped(line: str, width: int) -> str:
    body = line.rstrip("\n")
    if len(body) <= width:
        return line
    if body.startswith(QUOTE):  # a line of the program is cut, so that it stays one
        return f"{body[: width - 3]}...{line[len(body) :]}"
    indent = body[: len(body) - len(body.lstrip())]
    rows = textwrap.wrap(
        body.strip(), width, initial_indent=indent, subsequent_indent=f"{indent}    ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return "\n".join(rows) + line[len(body) :]
