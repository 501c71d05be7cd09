"""An error of tf2towers itself in one sentence: what it was, where, and how to report it."""

from __future__ import annotations

import os
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_LONGEST = 160


def wants_traceback() -> bool:
    """Whether the user asked for the whole traceback."""
    return bool(os.environ.get("TF2TOWERS_DEBUG"))


def internal_error(problem: BaseException, what: str = "internal error") -> str:
    """The sentence, which begins with `what`. A message that shows a whole syntax tree is cut."""
    first = next(iter(str(problem).strip().splitlines()), "")
    if len(first) > _LONGEST:
        first = f"{first[:_LONGEST]}..."
    kind = f"{type(problem).__name__}: {first}" if first else type(problem).__name__
    place = _innermost_line(problem)
    where = f" at {place}" if place else ""
    return (
        f"{what}: {kind}{where} (please report it, with as much of the script as shows it; "
        "TF2TOWERS_DEBUG=1 gives the traceback)"
    )


def _innermost_line(problem: BaseException) -> str:
    """The innermost line of tf2towers' own code."""
    import traceback

    for frame in reversed(traceback.extract_tb(problem.__traceback__)):
        path = Path(frame.filename)
        if path.is_relative_to(_ROOT):
            return f"{path.relative_to(_ROOT).as_posix()}:{frame.lineno}"
    return ""
