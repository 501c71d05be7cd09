"""One task of a running cluster: its process, what it wrote, how it ended."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import BinaryIO

from tf2towers.launch.chatter import Chatter, is_wanted
from tf2towers.launch.cluster import Task
from tf2towers.launch.errors import LaunchError
from tf2towers.launch.process import Process


class Member:
    """A task and, once started, its process.

    Args:
        keep: how many of the last lines are kept; None: all.

    Attributes:
        process: the running one, or None before the start and after the end.
        status: the exit status (128 + n for signal n) of a task that ended by itself, else None.
        stopped: whether the launcher has ended it.
        lines: what it wrote, without what TensorFlow says about itself.
    """

    def __init__(self, task: Task, keep: int | None = None) -> None:
        self.task = task
        self.process: Process | None = None
        self.status: int | None = None
        self.stopped = False
        self.lines: deque[str] = deque(maxlen=keep)
        self._log: BinaryIO | None = None
        self._chatter = None if is_wanted() else Chatter()

    @property
    def state(self) -> str:
        """'waiting', 'running', 'stopped', 'ended' (with 0) or 'failed'."""
        if self.process is not None:
            return "running"
        if self.status is not None:
            return "failed" if self.status else "ended"
        return "stopped" if self.stopped else "waiting"

    def log_to(self, directory: Path) -> None:
        """Also writes the output to a file there, such as worker-0.log.

        Raises:
            LaunchError: it cannot be written.
        """
        path = directory / f"{self.task.job}-{self.task.index}.log"
        try:
            self._log = path.open("wb", buffering=0)
        except OSError as problem:
            raise LaunchError(f"{path}: {problem.strerror}") from None

    def read(self) -> list[str]:
        """The lines written since.

        Raises:
            LaunchError: the log file cannot be written; nothing more goes there.
        """
        assert self.process is not None
        return self._took(*self.process.read())

    def check_end(self) -> list[str] | None:
        """None while it runs; else its last lines, and `status` is set unless the launcher has ended it.

        Raises:
            LaunchError: as `read`.
        """
        if self.process is None or (status := self.process.ended()) is None:
            return None
        process, self.process = self.process, None
        if not self.stopped:
            self.status = status
        return self._took(*process.close())

    def close(self) -> None:
        """Closes the log file."""
        if self._log is not None:
            self._log.close()
            self._log = None

    def _took(self, data: bytes, lines: list[str]) -> list[str]:
        if self._chatter is not None:  # the log file has all of it
            lines = self._chatter.without(lines)
        self.lines.extend(lines)
        if self._log is not None and data:
            log = self._log
            try:
                log.write(data)
            except OSError as problem:
                self.close()
                raise LaunchError(f"{log.name}: {problem.strerror}") from None
        return lines
