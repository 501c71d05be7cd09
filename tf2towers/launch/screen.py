"""The output of all tasks on one terminal, or in one pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tf2towers.launch.cluster import Task
from tf2towers.launch.job import Watcher


class Screen(Watcher):
    """Prints each line with its task before it."""

    def lines(self, task: Task, lines: Sequence[str]) -> None:
        """Prints the lines."""
        sys.stdout.write("".join(f"[{task.name}] {line}\n" for line in lines))
        sys.stdout.flush()

    def notice(self, text: str) -> None:
        """Prints a message of the launcher itself."""
        sys.stdout.flush()
        print(f"tf2towers launch: {text}", file=sys.stderr, flush=True)
