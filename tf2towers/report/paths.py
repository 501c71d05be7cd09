"""How a path is shown: relative to the working directory where it lies below it, with forward slashes; and counts."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def display_path(path: Path) -> str:
    """A path as the reader would type it."""
    if str(path) == "-":
        return "<stdin>"
    if path.is_absolute():
        with suppress(ValueError):
            path = path.relative_to(Path.cwd())
    return path.as_posix()


def counted(count: int, noun: str) -> str:
    """'1 step', '2 steps'."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
