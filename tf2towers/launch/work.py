"""Tells whether the tasks of a cluster still work: by the processor time that they use."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Set as AbstractSet
from pathlib import Path

_PAUSE = 10.0  # seconds between two looks
_LEAST = 0.03  # of a processor for each task: more than servers and workers use that only wait


class Work:
    """Watches processes that may all wait for each other.

    Args:
        idle: how long they may do nothing, in seconds; None: for ever.
    """

    def __init__(self, idle: float | None) -> None:
        self._idle = idle
        self._looked = self._worked = time.monotonic()
        self._used = 0.0

    def is_over(self, sessions: AbstractSet[int]) -> bool:
        """True if the processes of these sessions have not worked for so long."""
        now = time.monotonic()
        if self._idle is None or now - self._looked < _PAUSE or not Path("/proc/self/stat").exists():
            return False
        used = processor_seconds(sessions)
        if abs(used - self._used) > _LEAST * len(sessions) * (now - self._looked):
            self._worked = now
        self._looked, self._used = now, used
        return now - self._worked > self._idle


def processor_seconds(sessions: AbstractSet[int]) -> float:
    """The processor time of all running processes of these sessions, in seconds."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[3]) in sessions:
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
