"""A task dies with its launcher even where the launcher cannot say so (SIGKILL): Linux only."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def die_with(launcher: int) -> Callable[[], None] | None:
    """What a process calls to be killed when its parent, the launcher, ends; None where there is no such thing.

    Everything is looked up here: the call itself is two system calls.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        prctl = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return None

    def preexec() -> None:
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != launcher:  # it has died meanwhile
            os._exit(1)

    return preexec
