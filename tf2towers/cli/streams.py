"""The standard streams, which may be closed or full."""

from __future__ import annotations

import contextlib
import errno
import os
import sys

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.ENXIO})


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


def output_is_full(problem: OSError) -> bool:
    """Whether this is what a standard output says that takes no more; from then on it goes to nobody.

    Errors about files have their names.
    """
    if problem.filename is not None or problem.errno not in _FULL:
        return False
    discard_output()
    return True


def discard_output() -> None:
    """What is still to be written to the standard output goes to nobody."""
    with contextlib.suppress(OSError, ValueError):
        nobody = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nobody, sys.stdout.fileno())
        os.close(nobody)
