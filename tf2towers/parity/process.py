"""One side of a proof as a process: in a group of its own, with a time limit, and nothing left of it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tf2towers.launch.chatter import without_chatter
from tf2towers.launch.errors import LaunchError
from tf2towers.launch.process import GuardedProcess

ROOT = Path(__file__).resolve().parents[2]
#: oneDNN picks fused kernels by the graph around an op, and a session's graph is not a function's: off on both sides.
ENVIRONMENT = {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
_POLL = 0.05
_TAIL = 25
#: what else is in the way of an error: the program's own log, which says of TF1's hooks when they begin and end
_LOGGED = re.compile(r"^(\[[\w ]+\] )?([IW]\d{4} |WARNING:tensorflow:|INFO:tensorflow:)")


class RunFailed(Exception):
    """A trainer could not be run to the end of its recording; the message says why and how it ended."""


class Process:
    """A command in a session of its own; its output goes to a file, and it can ask nobody for input.

    Args:
        environment: beside this process's own.
    """

    def __init__(
        self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        self.log = log
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
        variables = {
            **os.environ,
            **ENVIRONMENT,
            "PYTHONPATH": path,
            "PYTHONHASHSEED": "0",
            **(environment or {}),
        }
        for name in ("TF_USE_LEGACY_KERAS", "TF2_BEHAVIOR"):  # the latter is left by an imported TensorFlow 2
            variables.pop(name, None)
        self.started = time.monotonic()
        try:
            self._process = GuardedProcess(command, variables, log)
        except LaunchError as problem:
            raise RunFailed(str(problem)) from None
        self.seconds = 0.0

    def wait(self, timeout: float, tick: Callable[[], object] | None = None) -> int:
        """Its exit status; its whole group is ended then, whatever happens.

        Raises:
            TimeoutError: it has not ended after `timeout` seconds since its start.
        """
        try:
            while (status := self._process.status()) is None:
                if time.monotonic() - self.started > timeout:
                    raise TimeoutError
                if tick is not None:
                    tick()
                time.sleep(_POLL)
            return status
        finally:
            self._process.end()
            self.seconds = time.monotonic() - self.started

    def tail(self, lines: int = _TAIL) -> str:
        """The last lines that it wrote."""
        return last_lines(self.log.read_text(encoding="utf-8", errors="replace").splitlines(), lines)


def last_lines(written: Sequence[str], count: int = _TAIL) -> str:
    """The last lines of an output, without what TensorFlow says about itself."""
    return "\n".join([line for line in without_chatter(written) if not _LOGGED.search(line)][-count:])
