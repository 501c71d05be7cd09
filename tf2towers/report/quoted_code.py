"""The code that a message is about, quoted behind it."""

from __future__ import annotations

import re

_LONGEST = 60
_LINE_END = re.compile(r"\r\n|\n|\r")


def with_quoted_code(message: str, code: str) -> str:
    """A message with the first line of the code that it is about, unless it has it already."""
    first = next((line.strip() for line in _LINE_END.split(code) if line.strip()), "")
    if not first or first in message:
        return message
    shown = first if len(first) <= _LONGEST else f"{first[: _LONGEST - 3].rstrip()}..."
    return f"{message}: `{shown}`"


def code_between(text: str, start: tuple[int, int], end: tuple[int, int]) -> str:
    """The code from a place to another, as far as it is on the first line; lines from 1, columns from 0."""
    lines = _LINE_END.split(text)
    if not 0 < start[0] <= len(lines):
        return ""
    line = lines[start[0] - 1]
    return line[start[1] : end[1]] if end[0] == start[0] else line[start[1] :]
