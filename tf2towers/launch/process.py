"""One task as a process: its group, its output, its end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tf2towers.launch.errors import LaunchError
from tf2towers.launch.lines import Lines

_CHUNK = 65_536
_MOST_CHUNKS = 64  # read at once, so that a task that writes without end does not keep the launcher


class Process:
    """A running task in a session of its own, standard output and error merged in the order of writing.

    Args:
        command: the program and its arguments.
        environment: the whole environment.
        cwd: the directory to start in; None: this process's.
        preexec: called in the new process before it becomes the command.

    Raises:
        LaunchError: the system does not start it.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        cwd: Path | None = None,
        preexec: Callable[[], None] | None = None,
    ) -> None:
        try:
            self._popen = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                cwd=cwd,
                env=dict(environment),
                start_new_session=True,
                preexec_fn=preexec,  # noqa: PLW1509 - two system calls, see parent.py
            )
        except (OSError, ValueError, subprocess.SubprocessError) as problem:
            raise LaunchError(f"cannot start {command[0]}: {problem}") from None
        assert self._popen.stdout is not None
        self.output = self._popen.stdout.fileno()
        os.set_blocking(self.output, False)
        self._lines = Lines()
        self.open = True

    def read(self) -> tuple[bytes, list[str]]:
        """What has been written since, as it is and as lines; `open` is False at the end of it."""
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
        return bytes(data), self._lines.feed(bytes(data)) if data else []

    def ended(self) -> int | None:
        """The exit status (128 + n for signal n) once it has ended and what was left of its group is killed."""
        if self._popen.returncode is None:
            if hasattr(os, "waitid"):
                # Without reaping: as long as it is a zombie its group's number is nobody else's.
                with contextlib.suppress(ChildProcessError):
                    if os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                        return None
                self.send(signal.SIGKILL)
            if self._popen.poll() is None:
                return None
        code = self._popen.returncode
        return code if code >= 0 else 128 - code

    def close(self) -> tuple[bytes, list[str]]:
        """The last of the output, after the end."""
        data, lines = self.read()
        self.open = False
        assert self._popen.stdout is not None
        self._popen.stdout.close()
        return data, lines + self._lines.end()

    def send(self, number: signal.Signals) -> None:
        """Sends a signal to its group."""
        if self._popen.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, number)
