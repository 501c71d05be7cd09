"""Batch norm and branches as people write them: a migrated program equals its original, or differs by a named rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from batch_norm import a_dozen
from suite import SCRIPTS, programs_of
from verify_many import verify_all

from tests.verify.migrating import migrate_into
from tf2towers.report.parity_result import ParityResult

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

NORMS = {choice.name: choice for choice in a_dozen()}
BRANCHES = {
    Path(program.name).name: program.text for program in programs_of(SCRIPTS / "towers" / "conditions.py")
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParityResult]:
    """The verdict on each program; two run at a time."""
    folder = tmp_path_factory.mktemp("batch_norm")
    pairs = {}
    for name, text in {**{name: choice.text for name, choice in NORMS.items()}, **BRANCHES}.items():
        script = folder / name / "script.py"
        script.parent.mkdir()
        script.write_text(text)
        migrate_into(script, script.parent / "migrated")
        pairs[name] = script, script.parent / "migrated" / "script.py", ()
    return verify_all(pairs)


@pytest.mark.parametrize("name", NORMS)
def test_batch_norm(name: str, results: dict[str, ParityResult]) -> None:
    result = results[name]
    assert result.outcome == ("within" if result.towers > 2 else "bitwise"), result.error
    assert result.calls > 6


@pytest.mark.parametrize("name", BRANCHES)
def test_programs_with_branches_have_parity(name: str, results: dict[str, ParityResult]) -> None:
    result = results[name]
    assert result.calls > 7
    if name == "gradient_penalty_of_critics":
        assert result.outcome == "within" and "order of a gradient's terms" in result.notes[0]
    else:
        assert result.outcome == "bitwise", result.error
