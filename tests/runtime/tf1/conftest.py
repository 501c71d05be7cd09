"""What `graph_mode` does for tf_slim, for tests that build graphs in this process; drivers run in another."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.tasks import QUIET, run_python


@pytest.fixture(autouse=True, scope="session")
def tf_slim_has_its_names() -> None:
    if find_spec("tensorflow") is not None:
        from tf2towers.runtime.patches.slim import tf_slim_finds_its_names

        tf_slim_finds_its_names()


@pytest.fixture(scope="session")
def run_driver() -> Callable[..., str]:
    """Runs a program of this folder with arguments, on the CPU; what it prints."""

    def run(name: str, *arguments: str) -> str:
        return run_python(Path(__file__).with_name(name), *arguments, seconds=600, **QUIET)[0]

    return run


@pytest.fixture(scope="session")
def results_of(
    run_driver: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Any]:
    """What a driver writes as JSON to the file that it is given."""

    def results(name: str) -> Any:
        path = tmp_path_factory.mktemp("found") / "found.json"
        run_driver(name, str(path))
        return json.loads(path.read_text())

    return results
