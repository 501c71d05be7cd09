"""Recorders of programs are forks here; as users start them they run in test_command.py, and as tasks of clusters."""

from collections.abc import Iterator

import pytest

from tests.verify.forks import Forks
from tf2towers.verify import sides
from tf2towers.verify.process import changed_environment


@pytest.fixture(scope="session", autouse=True)
def forks() -> Iterator[None]:
    forks = Forks(sides.run, changed_environment)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sides, "run", forks)
        yield
    forks.close()
