"""One command with all that it starts: in a session of its own, and nothing of it is left, whoever ends first."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tf2towers.launch.errors import LaunchError
from tf2towers.launch.guardian import Guardian
from tf2towers.launch.leftovers import MARK, kill_leftovers, new_mark
from tf2towers.launch.parent import die_with_parent

_AFTER_KILL = 5.0  # seconds


class GuardedProcess:
    """Its output goes to a file, and it can ask nobody for input.

    Args:
        command: the program and its arguments.
        environment: the whole of it.
        log: where standard output and error go.
        cwd: where it starts; None: here.
        descriptors: those that it inherits.

    Attributes:
        mark: what the environment of all that it starts has; see `leftovers`.

    Raises:
        LaunchError: the system does not start it.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        cwd: Path | None = None,
        descriptors: Sequence[int] = (),
    ) -> None:
        self.mark = new_mark()
        self._guardian = Guardian(self.mark)
        try:
            with log.open("wb") as stream:
                self._popen = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    env={**environment, MARK: self.mark},
                    cwd=cwd,
                    start_new_session=True,
                    pass_fds=descriptors,
                    preexec_fn=die_with_parent(),  # noqa: PLW1509 - two system calls, see parent.py
                )
        except (OSError, ValueError, subprocess.SubprocessError) as problem:
            self._guardian.dismiss()
            raise LaunchError(f"cannot start {command[0]}: {problem}") from None

    def status(self) -> int | None:
        """Its exit status once it has ended, -n for signal n; what it started may still run."""
        return self._popen.poll()

    def send(self, number: signal.Signals) -> bool:
        """Sends a signal to its group; whether there was anybody."""
        try:
            os.killpg(self._popen.pid, number)
        except OSError:
            return False
        return True

    def end(self) -> None:
        """Kills what is left of it: its group, and what it has started in sessions of their own."""
        self.send(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(_AFTER_KILL)
        kill_leftovers(self.mark)
        self._guardian.dismiss()
