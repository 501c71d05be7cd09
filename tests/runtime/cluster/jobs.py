"""Local jobs for these tests, all of whose processes are ended when the test has."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tests.runtime.tasks import Tasks, free_ports


class Job(Tasks):
    """1 parameter server and 2 workers of one of the job_*.py scripts."""

    def __init__(
        self, folder: Path, script: str, synchronous: bool, *arguments: str, **environment: str
    ) -> None:
        ps, first, second = (f"localhost:{port}" for port in free_ports(3))
        arguments = (str(int(synchronous)), ps, f"{first},{second}", *arguments)
        super().__init__(folder, Path(__file__).parent / script, arguments, **environment)


@contextlib.contextmanager
def job(folder: Path, script: str, synchronous: bool, *arguments: str, **environment: str) -> Iterator[Job]:
    """A job whose tasks have all ended when the context has."""
    made = Job(folder, script, synchronous, *arguments, **environment)
    try:
        yield made
    finally:
        made.end()
