"""Local clusters for these tests: one process a task, with a time limit on everything."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
_NOISE = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


class Job:
    """1 parameter server and 2 workers of one of the job_*.py scripts."""

    def __init__(
        self, folder: Path, script: str, synchronous: bool, *arguments: str, **environment: str
    ) -> None:
        ps, first, second = (f"localhost:{port}" for port in free_ports(3))
        self._folder = folder
        self._command = [sys.executable, str(HERE / script)]
        self._arguments = [str(int(synchronous)), ps, f"{first},{second}", *arguments]
        self._environment = {**os.environ, **_NOISE, **environment}
        self.tasks: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, *names: str) -> None:
        """'ps 0', 'worker 0', ..; a task that is started again goes on in the same file of output."""
        for name in names:
            with (self._folder / f"{name}.txt").open("ab") as output:
                self.tasks[name] = subprocess.Popen(
                    [*self._command, *name.split(), *self._arguments],
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=self._environment,
                )

    def output(self, name: str) -> str:
        return (self._folder / f"{name}.txt").read_text(errors="replace")

    def kill(self, name: str) -> None:
        self.tasks[name].kill()
        self.tasks[name].wait(10)

    def status(self, name: str, seconds: float = 60) -> int:
        try:
            return self.tasks[name].wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{name} has not ended: {self.output(name)[-2000:]}") from None

    def wait_for(self, name: str, pattern: str, seconds: float = 60) -> str:
        """The first group of `pattern` in the task's output."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.output(name), re.DOTALL)):
            assert time.monotonic() < deadline, self.output(name)[-2000:]
            assert self.tasks[name].poll() is None, self.output(name)[-2000:]
            time.sleep(0.1)
        return found.group(found.lastindex or 0)


@contextlib.contextmanager
def job(folder: Path, script: str, synchronous: bool, *arguments: str, **environment: str) -> Iterator[Job]:
    """A job whose tasks have all ended when the context has."""
    made = Job(folder, script, synchronous, *arguments, **environment)
    try:
        yield made
    finally:
        for task in made.tasks.values():
            if task.poll() is None:
                task.kill()
                task.wait(10)
