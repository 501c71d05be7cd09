"""How messages show paths, counts and code."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

#: the largest length of quoted code
_LONGEST = 60


def display_path(path: Path) -> str:
    """A path as the reader would type it: relative inside the working directory, with slashes."""
    if str(path) == "-":
        return "<stdin>"
    if path.is_absolute():
        with suppress(ValueError):
            path = path.relative_to(Path.cwd())
    return path.as_posix()


def counted(count: int, noun: str) -> str:
    """A count with its noun: '1 step', '2 steps'."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(names: Sequence[str], most: int = 3) -> str:
    """The first `most` names, and the number of the others."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def with_quoted_code(message: str, code: str) -> str:
    """A message with the first line of the code that it is about, unless it has that line."""
    first = next(iter(code.strip().splitlines()), "").strip()
    if not first or first in message:
        return message
    shown = first if len(first) <= _LONGEST else f"{first[: _LONGEST - 3].rstrip()}..."
    return f"{message}: `{shown}`"
