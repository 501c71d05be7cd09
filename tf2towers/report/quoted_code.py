"""The code that a message is about, quoted after it."""

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
