"""What the launcher tells while a cluster runs."""

from __future__ import annotations

from collections.abc import Sequence
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
