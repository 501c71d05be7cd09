"""A command as a process, together with all processes that it starts; and its output as lines."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from tf2towers.launch.cluster import LaunchError
from tf2towers.launch.leftovers import AFTER_KILL, MARK, die_with, kill_leftovers, new_mark

# -- lines from the bytes that a task writes -------------------------------------------------------

LONGEST = 65_536  # bytes; a longer line is cut


class Lines:
    """Splits a stream of bytes into lines of text.

    A line that overwrites itself with carriage returns (a progress bar) counts as a terminal shows
    it at its end. What is not UTF-8 is escaped.
    """

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that these bytes complete."""
        *whole, self._pending = (self._pending + data).split(b"\n")
        lines = [_as_shown(line) for line in whole]
        place = self._pending.rfind(b"\r", 0, len(self._pending) - 1)
        self._pending = self._pending[place + 1 :]
        while len(self._pending) > LONGEST:
            lines.append(_as_shown(self._pending[:LONGEST]))
            self._pending = self._pending[LONGEST:]
        return lines

    def end(self) -> list[str]:
        """The text after the last line end, as one line."""
        rest, self._pending = _as_shown(self._pending), b""
        return [rest] if rest else []


def _as_shown(line: bytes) -> str:
    states = [state for state in re.split(rb"\r", line) if state]
    return states[-1].decode("utf-8", "backslashreplace") if states else ""


def start_command(
    command: Sequence[str], environment: Mapping[str, str], output: int | IO[bytes]
) -> subprocess.Popen[bytes]:
    """Starts a command in a session of its own, without input; it ends with this process.

    Args:
        environment: the whole environment of the process.
        output: the file for standard output and error, merged in the order of writing.

    Raises:
        LaunchError: the system cannot start it.
    """
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            bufsize=0,
            env=dict(environment),
            start_new_session=True,
            preexec_fn=die_with(os.getpid()),  # noqa: PLW1509 - two system calls, see `die_with`
        )
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        raise LaunchError(f"cannot start {command[0]}: {problem}") from None


class GuardedProcess:
    """A command whose output is written to a file; what it started is killed at its end.

    Args:
        command, environment: see `start_command`, also for the error.
        log: the file for standard output and error.

    Attributes:
        mark: the mark in the environment of all processes that it starts; see `leftovers`.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.mark = new_mark()
        try:
            with log.open("wb") as stream:
                self._popen = start_command(command, {**environment, MARK: self.mark}, stream)
        except OSError as problem:
            raise LaunchError(f"cannot start {command[0]}: {problem}") from None

    def status(self) -> int | None:
        """The exit status, -n for signal n, None while it runs; what it started may still run."""
        return self._popen.poll()

    def send(self, number: signal.Signals) -> bool:
        """Sends a signal to the process group; returns whether the group still exists."""
        try:
            os.killpg(self._popen.pid, number)
        except OSError:
            return False
        return True

    def end(self) -> None:
        """Kills the rest of the process group, and what it started in other sessions."""
        self.send(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(AFTER_KILL)
        kill_leftovers(self.mark)
