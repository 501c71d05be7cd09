"""How a cluster or a task ended."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from tf2towers.launch.member import Member

TIMED_OUT = 124  # the status, as of timeout(1)


@dataclass(frozen=True)
class Outcome:
    """How a cluster ended: its status, why when that is not 0, and the task that failed, if one did."""

    status: int
    reason: str = ""
    failed: Member | None = None


def how(status: int) -> str:
    """An end that is not 0 in words: 'ended with status 3', 'was killed by SIGKILL'."""
    if status > 128:
        try:
            return f"was killed by {signal.Signals(status - 128).name}"
        except ValueError:
            pass
    return f"ended with status {status}"
