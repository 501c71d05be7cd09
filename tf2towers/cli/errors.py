"""What ends a command in one sentence: something of the user's, or an error of tf2towers itself."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

_ROOT = f"{Path(__file__).parents[1]}{os.sep}"
_LONGEST = 160


class CommandError(Exception):
    """A sentence for the user about a command that cannot do what is asked for: status 2."""


def wants_traceback() -> bool:
    """Whether the user asked for the whole traceback."""
    return bool(os.environ.get("TF2TOWERS_DEBUG"))


def internal_error(problem: BaseException, what: str = "internal error") -> str:
    """The sentence, which begins with `what`. A message that shows a whole syntax tree is cut."""
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
