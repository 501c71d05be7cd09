"""A watched training as a process: started, held, let go on, ended with all that it has started."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tf2towers.compare.errors import CompareError
from tf2towers.compare.side import ActiveClock, Side
from tf2towers.compare.watch.lines import VARIABLE
from tf2towers.launch.errors import LaunchError
from tf2towers.launch.process import GuardedProcess

_CHUNK = 65_536


class Child:
    """A process in a group of its own, and the pipe on which it reports its steps.

    Args:
        environment: the whole of it; the pipe's descriptor is added.
        log: the file that gets its output.
    """

    def __init__(self, side: Side, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.side = side
        self._command, self._environment, self._log = command, environment, log
        self._process: GuardedProcess | None = None
        self._rest = b""
        self.pipe = -1
        self.clock = ActiveClock(0.0)
        self.held = False
        self.status: int | None = None  # once it has ended

    @property
    def started(self) -> bool:
        """Whether it has been started."""
        return self._process is not None

    def start(self) -> None:
        """Starts it.

        Raises:
            CompareError: the system does not.
        """
        name, theirs = self._open_pipe()
        environment = {**self._environment, VARIABLE: name}
        try:
            self.clock = ActiveClock(time.monotonic())
            self._process = GuardedProcess(self._command, environment, self._log, descriptors=theirs)
        except LaunchError as problem:
            raise CompareError(str(problem)) from None
        finally:
            for descriptor in theirs:
                os.close(descriptor)

    def _open_pipe(self) -> tuple[str, list[int]]:
        """Makes `pipe`; gives the environment that names it, and the descriptors that it inherits."""
        self.pipe, theirs = os.pipe()
        os.set_blocking(self.pipe, False)
        return str(theirs), [theirs]

    def hold(self) -> None:
        """Stops it where it is, until `resume`."""
        if self.status is None and not self.held and self._send(signal.SIGSTOP):
            self.clock.stop(time.monotonic())
            self.held = True

    def resume(self) -> None:
        """Starts it, or lets it run again."""
        if not self.started:
            self.start()
        elif self.held:
            self.clock.resume(time.monotonic())
            self._send(signal.SIGCONT)
            self.held = False

    def read(self) -> int:
        """Takes the lines it has written since; how many steps they report."""
        steps_before = len(self.side.steps)
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self.pipe, _CHUNK):
                *lines, self._rest = (self._rest + chunk).split(b"\n")
                for line in lines:
                    self.side.take(line.decode("utf-8", "replace"), self.clock)
        return len(self.side.steps) - steps_before

    def has_ended(self) -> bool:
        """Whether it has; `status` is then its exit status, 128 + n for signal n."""
        if self.status is None and self._process is not None:
            if (code := self._process.status()) is not None:
                self._over(code if code >= 0 else 128 - code)
        return self.status is not None

    def end(self) -> None:
        """Kills it, held or not, with all that it has started; it counts as ended, status 0."""
        if self._process is not None and self.status is None:
            self._over(0)

    def _over(self, status: int) -> None:
        assert self._process is not None
        self.status = status
        ran = self.clock.active(time.monotonic())
        self.side.ended = True
        self._process.end()
        self.read()
        self.side.seconds = ran - self.side.aside
        os.close(self.pipe)
        self.pipe = -1

    def _send(self, number: signal.Signals) -> bool:
        assert self._process is not None
        return self._process.status() is None and self._process.send(number)
