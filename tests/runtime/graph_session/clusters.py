"""Local clusters for these tests, all of whose processes are ended when the test has."""

from __future__ import annotations

import contextlib
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

    def start(self, *names: str) -> None:
        """All tasks, or some."""
        super().start(*(names or self.names))

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
