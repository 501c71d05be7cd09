"""Local clusters for these tests: a process a task, all of them ended when the test has."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.runtime.cluster.jobs import free_ports

HERE = Path(__file__).parent
_ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "CUDA_VISIBLE_DEVICES": "",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "PYTHONWARNINGS": "ignore",
}


class Cluster:
    """The tasks of one job_*.py: 'ps 0', 'worker 1', .."""

    def __init__(self, folder: Path, script: str, kind: str, ps: int, workers: int, *arguments: str) -> None:
        ports = [f"localhost:{port}" for port in free_ports(ps + workers)]
        folder.mkdir(exist_ok=True)
        self.folder, self._script = folder, script
        self._arguments = [kind, ",".join(ports[:ps]), ",".join(ports[ps:]), *arguments]
        self.names = [f"ps {i}" for i in range(ps)] + [f"worker {i}" for i in range(workers)]
        self.tasks: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, *names: str) -> Cluster:
        """All tasks, or some; a task that is started again goes on in the same file of output."""
        for name in names or self.names:
            with (self.folder / f"{name}.txt").open("ab") as output:
                self.tasks[name] = subprocess.Popen(
                    [sys.executable, str(HERE / self._script), *name.split(), *self._arguments],
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **_ENVIRONMENT},
                    cwd=self.folder,
                )
        return self

    def output(self, name: str) -> str:
        return (self.folder / f"{name}.txt").read_text(errors="replace")

    def lines(self, name: str) -> list[str]:
        """What a task printed with 'say'."""
        return [line[2:] for line in self.output(name).splitlines() if line.startswith("> ")]

    def kill(self, name: str) -> None:
        self.tasks[name].kill()
        self.tasks[name].wait(10)

    def status(self, name: str, seconds: float = 180) -> int:
        try:
            return self.tasks[name].wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{name} has not ended: {self.output(name)[-3000:]}") from None

    def wait_for(self, name: str, pattern: str, seconds: float = 180) -> None:
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.output(name)):
            assert time.monotonic() < deadline, self.output(name)[-3000:]
            assert self.tasks[name].poll() is None, self.output(name)[-3000:]
            time.sleep(0.1)


@contextlib.contextmanager
def cluster(
    folder: Path, script: str, kind: str, ps: int, workers: int, *arguments: str
) -> Iterator[Cluster]:
    made = Cluster(folder, script, kind, ps, workers, *arguments)
    try:
        yield made
    finally:
        for task in made.tasks.values():
            if task.poll() is None:
                task.kill()
                task.wait(10)
