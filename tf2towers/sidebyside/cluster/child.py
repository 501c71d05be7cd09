"""A cluster as the child of a race: one launcher, the FIFO of all its tasks, all of its processes held at once."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tf2towers.launch.cluster import Shape
from tf2towers.launch.leftovers import signal_marked
from tf2towers.sidebyside.child import Child
from tf2towers.sidebyside.errors import CompareError
from tf2towers.sidebyside.side import Side

_LAUNCHER = Path(__file__).with_name("__main__.py")


def launched(shape: Shape, python: str, script: Path, arguments: Sequence[str]) -> list[str]:
    """The command that runs a script as a cluster.

    Args:
        arguments: of every task, without those that tell it which it is.
    """
    settings = {
        "ps": shape.ps,
        "workers": shape.workers,
        "task_flags": shape.task_flags,
        "python": python,
        "script": str(script),
        "args": list(arguments),
    }
    return [sys.executable, str(_LAUNCHER), json.dumps(settings)]


class ClusterChild(Child):
    """The launcher of a cluster, and its tasks, which are found by the mark in their environment (Linux).

    Args:
        fifo: a path for the pipe that they tell of their steps on.
    """

    def __init__(
        self, side: Side, command: Sequence[str], environment: Mapping[str, str], log: Path, fifo: Path
    ) -> None:
        super().__init__(side, command, environment, log)
        self._fifo = fifo

    def _open_pipe(self) -> tuple[str, list[int]]:
        try:
            os.mkfifo(self._fifo)
            # for writing as well: a pipe that nobody could write to would always be at its end
            self.pipe = os.open(self._fifo, os.O_RDWR | os.O_NONBLOCK)
        except OSError as problem:
            raise CompareError(f"{self._fifo}: {problem.strerror}") from None
        return str(self._fifo), []

    def _send(self, number: signal.Signals) -> bool:
        sent = super()._send(number)  # the launcher first, which then starts nobody
        if sent and self._process is not None:
            with contextlib.suppress(OSError):
                signal_marked(self._process.mark, number)
        return sent
