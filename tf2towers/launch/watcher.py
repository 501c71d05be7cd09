"""What the launcher tells while a cluster runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tf2towers.launch.cluster import Task
    from tf2towers.launch.member import Member


class Watcher:
    """Hears everything and does nothing: the base of those that do. What they raise ends the cluster."""

    def lines(self, task: Task, lines: Sequence[str]) -> None:
        """A task has written these lines, without their ends."""

    def notice(self, text: str) -> None:
        """Something a user should know has happened."""

    def tick(self, members: Sequence[Member]) -> None:
        """Called many times a second with the state of all tasks."""


class LineWatcher(Watcher):
    """Calls `on_line(name, line)`, such as ('worker 0', 'step 1'), for every line."""

    def __init__(self, on_line: Callable[[str, str], object]) -> None:
        self._on_line = on_line

    def lines(self, task: Task, lines: Sequence[str]) -> None:
        """One call a line."""
        for line in lines:
            self._on_line(task.name, line)
