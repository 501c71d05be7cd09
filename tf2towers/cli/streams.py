"""The standard streams, which may be closed or full."""

from __future__ import annotations

import contextlib
import os
import sys


def usable() -> bool:
    """Makes the streams fit to write a script's text to; says whether there is a standard output at all.

    A closed standard error is written to nobody.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - as long as the process
    if sys.stdout is None:
        return False
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a script's text may hold what the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    return True


def output_problem() -> OSError | None:
    """Why the standard output does not take what is written to it; from then on it goes to nobody."""
    try:
        sys.stdout.flush()
    except OSError as problem:
        discard_output()
        return problem
    return None


def discard_output() -> None:
    """What is still to be written to the standard output goes to nobody."""
    with contextlib.suppress(OSError, ValueError):
        nobody = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nobody, sys.stdout.fileno())
        os.close(nobody)
