"""A stand-in for the engine, so that the commands are tested by themselves."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tf2towers.report.result import FileChange, Finding, MigrationResult
from tf2towers.source.errors import SourceError
from tf2towers.source.local_imports import LocalImports
from tf2towers.source.script import Script

Put = Callable[..., Path]
Capture = pytest.CaptureFixture[str]


def stand_in(script: Script) -> MigrationResult:
    """Replaces OLD by NEW in a script and its modules; HARD is a site left, BUG and HUGE are errors of ours."""
    result = MigrationResult(script.path)
    if "BUG" in script.text:
        raise KeyError("bug")
    if "HUGE" in script.text:
        raise ValueError("Tree(\n" * 89 + "x" * 10_000)
    if "ODD" in script.text:
        raise SourceError(script.path, "too odd", 3)
    modules = [Script.read(path) for path in LocalImports(script).modules]
    for source in (script, *modules):
        after = source.text.replace("OLD", "NEW").replace("BREAK", "def (")
        if after != source.text:
            result.changes.append(FileChange(source.path, source.text, after, source.encoding, source.bom))
        elif source is not script:
            result.copied.append(source.path)
        for number, line in enumerate(source.text.splitlines(), 1):
            if "HARD" in line:
                result.findings.append(Finding("T2T900", "hard", "think", source.path, number, 1))
    return result


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the stand-in in the place of the engine."""
    codemod = ModuleType("tf2towers.codemod.migrate")
    codemod.migrate = lambda script, options: stand_in(script)  # type: ignore[attr-defined]
    codemod.Options = SimpleNamespace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tf2towers.codemod.migrate", codemod)


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Writes a file in the directory of the test, which is the working directory."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, data: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return write
