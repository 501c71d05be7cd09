"""Errors that end a command with one sentence: the user's mistakes, and internal errors."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

_ROOT = f"{Path(__file__).parents[1]}{os.sep}"
_LONGEST = 160


class CommandError(Exception):
    """One sentence for the user: why the command cannot do what was asked. The exit status is 2."""


def wants_traceback() -> bool:
    """True if the user set TF2TOWERS_DEBUG to see the whole traceback."""
    return bool(os.environ.get("TF2TOWERS_DEBUG"))


def internal_error(problem: BaseException, what: str = "internal error") -> str:
    """The sentence about an internal error, which begins with `what`; a long one is cut."""
    import traceback

    first = textwrap.shorten(next(iter(str(problem).strip().splitlines()), ""), _LONGEST, placeholder="...")
    kind = ": ".join(filter(None, [type(problem).__name__, first]))
    frames = [
        frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename.startswith(_ROOT)
    ]
    where = f" at {frames[-1].filename.removeprefix(_ROOT)}:{frames[-1].lineno}" if frames else ""
    return (
        f"{what}: {kind}{where} (please report it, with as much of the script as shows it; "
        "TF2TOWERS_DEBUG=1 gives the traceback)"
    )
