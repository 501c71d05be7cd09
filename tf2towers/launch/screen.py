"""The output of all tasks on one terminal, or in one pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from tf2towers.launch.cluster import Task
from tf2towers.launch.job import Watcher

COLOURS = (36, 33, 32, 35, 34, 96, 93, 92, 95, 94)


class Screen(Watcher):
    """Prefixes each line with its task; on a terminal, each task has a colour.

    Args:
        out: the stream for lines.
        errors: the stream for notices.
    """

    def __init__(
        self, tasks: Sequence[Task], out: TextIO | None = None, errors: TextIO | None = None
    ) -> None:
        self._out, self._errors = out or sys.stdout, errors or sys.stderr
        terminal = self._out.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        coloured = terminal and "NO_COLOR" not in os.environ
        self._prefixes = {
            task: f"\x1b[{COLOURS[number % len(COLOURS)]}m[{task.name}]\x1b[0m "
            if coloured
            else f"[{task.name}] "
            for number, task in enumerate(tasks)
        }

    def lines(self, task: Task, lines: Sequence[str]) -> None:
        """Prints the lines."""
        self._out.write("".join(f"{self._prefixes[task]}{line}\n" for line in lines))
        self._out.flush()

    def notice(self, text: str) -> None:
        """Prints a message of the launcher itself."""
        self._out.flush()
        print(f"tf2towers launch: {text}", file=self._errors, flush=True)
