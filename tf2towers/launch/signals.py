"""Records Ctrl-C and SIGTERM in a list: no exception strikes at an arbitrary place."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


@contextlib.contextmanager
def note_signals() -> Iterator[list[int]]:
    """A list that gets the numbers of signals to end, while the context lasts.

    After the second signal, standard output and error no longer write to a pipe: a write that
    waited for its reader (`| less`) ends. Outside the main thread no signal is recorded. A SIGHUP
    that is ignored (nohup) stays ignored.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def note(number: int, _: FrameType | None) -> None:
        came.append(number)
        if len(came) == 2:
            _discard_output()

    old_handlers = {}
    try:
        for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
            if not (number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN):
                old_handlers[number] = signal.signal(number, note)
        if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:  # inherited: no exit status is kept then
            old_handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        yield came
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _discard_output() -> None:
    """Redirects both streams to the null device; a blocked write continues there."""
    with contextlib.suppress(OSError), Path(os.devnull).open("wb") as null:
        for stream in (sys.stdout, sys.stderr):
            if not stream.isatty():
                os.dup2(null.fileno(), stream.fileno())
