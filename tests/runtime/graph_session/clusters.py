"""Local clusters for these tests, all of whose processes are ended when the test has."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from tests.runtime.tasks import Tasks, free_ports


class Cluster(Tasks):
    """The tasks of one job_*.py: 'ps 0', 'worker 1', .."""

    def __init__(self, folder: Path, script: str, kind: str, ps: int, workers: int, *arguments: str) -> None:
        ports = [f"localhost:{port}" for port in free_ports(ps + workers)]
        arguments = (kind, ",".join(ports[:ps]), ",".join(ports[ps:]), *arguments)
        super().__init__(folder, Path(__file__).parent / script, arguments, PYTHONWARNINGS="ignore")
        self.names = [f"ps {i}" for i in range(ps)] + [f"worker {i}" for i in range(workers)]
        self._ports = dict(zip(self.names, ports, strict=True))

    def start(self, *names: str) -> None:
        """All tasks, or some."""
        super().start(*(names or self.names))

    def wait_until_serving(self, *names: str, seconds: float = 180) -> None:
        """Until these tasks take connections."""
        deadline = time.monotonic() + seconds
        for name in names:
            port = int(self._ports[name].rpartition(":")[2])
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("localhost", port), 1):
                    break
                assert time.monotonic() < deadline, f"{name} does not serve: {self.output(name)[-3000:]}"
                time.sleep(0.1)

    def lines(self, name: str) -> list[str]:
        """What a task printed with 'say'."""
        return [line[2:] for line in self.output(name).splitlines() if line.startswith("> ")]


@contextlib.contextmanager
def cluster(
    folder: Path, script: str, kind: str, ps: int, workers: int, *arguments: str
) -> Iterator[Cluster]:
    """A cluster whose tasks have all ended when the context has."""
    made = Cluster(folder, script, kind, ps, workers, *arguments)
    try:
        yield made
    finally:
        made.end()
