"""Processes of their own for tests, and local clusters of them, with a time limit on everything."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


def run_python(
    *command: object,
    folder: Path | None = None,
    given: str = "",
    seconds: float = 240,
    status: int = 0,
    **environment: str,
) -> tuple[str, str]:
    """Runs a program that has to end with a given status; returns its standard output and standard error.

    Args:
        command: the program, or '-c' and its text, and its arguments.
        folder: where it runs; None: where we do.
        given: its standard input.
        environment: what is added to ours.
    """
    done = subprocess.run(
        [sys.executable, *map(str, command)], cwd=folder, env={**os.environ, **environment}, input=given,
        capture_output=True, text=True, timeout=seconds, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stderr[-3000:]
    return done.stdout, done.stderr


class Tasks:
    """The processes of one script: 'ps 0', 'worker 1', ..; what each wrote is in a file of its name.

    Args:
        folder: where the output goes, and where they run.
        script: the program; the job and the index of the task are its first arguments.
        arguments: its others.
        environment: what is added to ours.
    """

    def __init__(self, folder: Path, script: Path, arguments: Sequence[str], **environment: str) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self._script, self.flags = folder, script, arguments
        self.environment = {**os.environ, **QUIET, **environment}
        self.tasks: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, *names: str) -> None:
        """Starts a task; if it is started again, it appends to the same file of output."""
        for name in names:
            with (self.folder / f"{name}.txt").open("ab") as output:
                self.tasks[name] = subprocess.Popen(
                    [sys.executable, str(self._script), *self.arguments(name)],
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=self.environment,
                    cwd=self.folder,
                )

    def arguments(self, name: str) -> list[str]:
        """A task's command line."""
        return [*name.split(), *self.flags]

    def output(self, name: str) -> str:
        return (self.folder / f"{name}.txt").read_text(errors="replace")

    def kill(self, name: str) -> None:
        self.tasks[name].kill()
        self.tasks[name].wait(10)

    def status(self, name: str, seconds: float = 180) -> int:
        try:
            return self.tasks[name].wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{name} has not ended: {self.output(name)[-3000:]}") from None

    def wait_for(self, name: str, pattern: str, seconds: float = 180) -> str:
        """The first group of `pattern` in the task's output; all of it, if there is none."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.output(name), re.DOTALL)):
            assert time.monotonic() < deadline, self.output(name)[-3000:]
            assert self.tasks[name].poll() is None, self.output(name)[-3000:]
            time.sleep(0.1)
        return found.group(found.lastindex or 0)

    def close(self) -> None:
        """Ends the processes that still run."""
        for task in self.tasks.values():
            task.kill()
            task.wait(10)
