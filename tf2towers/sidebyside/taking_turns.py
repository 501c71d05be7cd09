"""Whose turn it is: two trainings on few cores take turns, so that neither slows the other down."""

from __future__ import annotations

import os

FEW_CORES = 4
SECONDS = 1.5
_PATIENCE = 5.0  # times the last step's seconds, that the end of the step under way is waited for


class Turn:
    """A turn: it is over after some seconds, at the end of a step where steps are being made.

    Args:
        began: by `time.monotonic()`.
        seconds: that it lasts at least.
    """

    def __init__(self, began: float, seconds: float = SECONDS) -> None:
        self._due = began + seconds
        self._seconds = seconds

    def is_over(self, now: float, step_ended: bool, step_seconds: float | None) -> bool:
        """Whether the other one is to go on.

        Args:
            now: by the same clock as `began`.
            step_ended: a step has just ended.
            step_seconds: how long the last step was; None: there has been none, as during imports.
        """
        if now < self._due:
            return False
        if step_ended or step_seconds is None:
            return True
        return now >= self._due + max(self._seconds, _PATIENCE * step_seconds)


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
