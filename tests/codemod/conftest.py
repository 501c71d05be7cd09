import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from tf2towers.codemod.migrate import migrate
from tf2towers.report.result import MigrationResult
from tf2towers.source.script import Script


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Writes files and gives their folder."""

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        return tmp_path

    return write


@pytest.fixture
def program(tree: Callable[[dict[str, str]], Path]) -> Callable[[dict[str, str]], MigrationResult]:
    """Writes the files of a program and migrates its main script, `train.py` or the one that is named."""

    def result(files: dict[str, str], main: str = "train.py") -> MigrationResult:
        return migrate(Script.read(tree(files) / main))

    return result
