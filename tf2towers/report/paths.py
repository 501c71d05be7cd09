"""How a path is shown: relative to the working directory where it lies below it, with forward slashes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def shown(path: Path) -> str:
    """A path as the reader would type it."""
    if str(path) == "-":
        return "<stdin>"
    if path.is_absolute():
        with suppress(ValueError):
            path = path.relative_to(Path.cwd())
    return path.as_posix()
