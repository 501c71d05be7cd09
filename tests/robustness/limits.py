"""The time that a program may take."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

#: seconds of processor time for one program; and of waiting, on a machine that does other things
LONGEST, LONGEST_WAIT = 10.0, 120.0


class TooLong(BaseException):
    """A program takes longer than it may. No Exception, so that nothing catches it."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Ends what takes too long."""

    def stop(*_: object) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_WAIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
