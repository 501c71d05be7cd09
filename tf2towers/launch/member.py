"""One task of a running cluster: its process, its output, and its exit status."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Mapping, Sequence

from tf2towers.launch.chatter import Chatter, is_wanted
from tf2towers.launch.child_process import Lines, start_command
from tf2towers.launch.cluster import Task

_CHUNK = 65_536
#: what TF 1's SessionManager logs before it sleeps for 30 seconds, unless `recovery_wait_secs` says
#: otherwise
_WAITS_FOR_CHIEF = "Waiting for model to be ready"
_MOST_CHUNKS = 64  # read at once, so that a task that writes endlessly does not block the launcher


class Member:
    """A task and, once started, its process.

    Args:
        keep: how many of the last lines are kept; None: all.

    Attributes:
        output: the file descriptor of its output, once started.
        open: whether more output may come.
        status: the exit status (128 + n for signal n); None while it runs, and where the launcher
            stopped it.
        stopped: whether the launcher has stopped it.
        lines: its output, without TensorFlow's messages about itself.
        waits_since: when it wrote that it waits for the chief's variables (`time.monotonic`); None:
            it does not wait.
    """

    def __init__(self, task: Task, keep: int | None = None) -> None:
        self.task = task
        self.output = -1
        self.open = False
        self.status: int | None = None
        self.stopped = False
        self.lines: deque[str] = deque(maxlen=keep)
        self.waits_since: float | None = None
        self._popen: subprocess.Popen[bytes] | None = None
        self._splitter = Lines()
        self._chatter = None if is_wanted() else Chatter()

    @property
    def runs(self) -> bool:
        """True if the process has been started and has not ended."""
        return self._popen is not None

    @property
    def process(self) -> int:
        """The number of the process, and of its session; 0 where it does not run."""
        return 0 if self._popen is None else self._popen.pid

    def start(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Starts the process; for the arguments and errors see `start_command`."""
        self._popen = start_command(command, environment, subprocess.PIPE)
        assert self._popen.stdout is not None
        self.output, self.open = self._popen.stdout.fileno(), True
        os.set_blocking(self.output, False)

    def read(self) -> list[str]:
        """The complete lines since the last call; sets `open` to False at the output's end."""
        data = bytearray()
        for _ in range(_MOST_CHUNKS):
            try:
                chunk = os.read(self.output, _CHUNK)
            except BlockingIOError:
                break
            if not chunk:
                self.open = False
                break
            data += chunk
        return self._take(self._splitter.feed(bytes(data)))

    def check_end(self) -> list[str] | None:
        """None while the process runs, then its last lines; sets `status` unless it was stopped."""
        if self._popen is None or not self._has_ended(self._popen):
            return None
        process, self._popen = self._popen, None
        if not self.stopped:
            self.status = process.returncode if process.returncode >= 0 else 128 - process.returncode
        try:
            return self.read() + self._take(self._splitter.end())
        finally:
            self.open = False
            assert process.stdout is not None
            process.stdout.close()

    def send(self, number: signal.Signals) -> None:
        """Sends a signal to the process group, which marks the task as stopped by the launcher."""
        if self._popen is not None and self._popen.returncode is None:
            self.stopped = True
            self._signal(self._popen, number)

    def _has_ended(self, process: subprocess.Popen[bytes]) -> bool:
        """True if the process has ended; if so, kills the rest of its group."""
        if hasattr(os, "waitid"):
            # WNOWAIT does not reap the process: as long as it is a zombie, no other group can get
            # its number
            with contextlib.suppress(ChildProcessError):
                if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                    return False
            self._signal(process, signal.SIGKILL)
        return process.poll() is not None

    def _signal(self, process: subprocess.Popen[bytes], number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)

    def _take(self, lines: list[str]) -> list[str]:
        if lines:
            self.waits_since = time.monotonic() if _WAITS_FOR_CHIEF in lines[-1] else None
        lines = lines if self._chatter is None else self._chatter.without(lines)
        self.lines.extend(lines)
        return lines
