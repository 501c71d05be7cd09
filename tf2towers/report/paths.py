"""How a path is shown: relative to the working directory where it lies below it, with forward slashes."""

from __future__ import annotations

import os
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


def short_names(left: Path, right: Path) -> tuple[str, str]:
    """Short names of two files: their own, with as many of the folders above as it takes to tell them apart."""
    parts, others = (Path(os.path.abspath(path)).parts for path in (left, right))  # noqa: PTH100 - links are kept
    for count in range(1, max(len(parts), len(others)) + 1):
        if parts[-count:] != others[-count:]:
            return "/".join(parts[-count:]).replace("//", "/"), "/".join(others[-count:]).replace("//", "/")
    return left.name, right.name
