"""The output of all tasks on one terminal, or in one pipe."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from typing import TextIO

from tf2towers.launch.cluster import Task
from tf2towers.launch.job import Watcher
from tf2towers.launch.member import Member

COLOURS = (36, 33, 32, 35, 34, 96, 93, 92, 95, 94)
STATES = ("running", "ended", "stopped", "failed", "waiting")
_REDRAWN = 0.25  # seconds
_ERASE = "\r\x1b[2K"


class Screen(Watcher):
    """Prefixes each line with its task; on a terminal in a colour a task, above a line that says which tasks run.

    Args:
        out: where lines go.
        errors: where notices go.
    """

    def __init__(
        self, tasks: Sequence[Task], out: TextIO | None = None, errors: TextIO | None = None
    ) -> None:
        self._out, self._errors = out or sys.stdout, errors or sys.stderr
        self._live = self._out.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        coloured = self._live and "NO_COLOR" not in os.environ
        self._prefixes = {
            task: f"\x1b[{COLOURS[number % len(COLOURS)]}m[{task.name}]\x1b[0m "
            if coloured
            else f"[{task.name}] "
            for number, task in enumerate(tasks)
        }
        self._began = time.monotonic()
        self._drawn_at = 0.0
        self._status = ""

    def lines(self, task: Task, lines: Sequence[str]) -> None:
        """Prints them."""
        prefix = self._prefixes[task]
        text = "".join(f"{prefix}{line}\n" for line in lines)
        self._out.write(f"{_ERASE}{text}{self._status}" if self._status else text)
        self._out.flush()

    def notice(self, text: str) -> None:
        """Prints it as the launcher's own word."""
        self.close()
        self._out.flush()
        print(f"tf2towers launch: {text}", file=self._errors, flush=True)

    def tick(self, members: Sequence[Member]) -> None:
        """Draws the status line again, a few times a second."""
        now = time.monotonic()
        if self._live and now - self._drawn_at >= _REDRAWN:
            self._drawn_at = now
            width = shutil.get_terminal_size().columns - 1
            self._status = status_line(members, now - self._began)[:width]
            self._out.write(_ERASE + self._status)
            self._out.flush()

    def close(self) -> None:
        """Takes the status line away."""
        if self._status:
            self._status = ""
            self._out.write(_ERASE)
            self._out.flush()


def status_line(members: Sequence[Member], elapsed: float) -> str:
    """What runs and what has ended after so many seconds: '1:05  running: ps 0, worker 1  ended: worker 0'."""
    seconds = int(elapsed)
    hours = f"{seconds // 3600}:{seconds // 60 % 60:02}" if seconds >= 3600 else str(seconds // 60)
    parts = [f"{hours}:{seconds % 60:02}"]
    for state in STATES:
        names = [member.task.name for member in members if member.state == state]
        if names:
            parts.append(f"{state}: {', '.join(names)}")
    return "  ".join(parts)
