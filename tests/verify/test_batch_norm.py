"""Batch norm in the ways people write it: a migrated program is its original's equal, or differs by a named rule."""

from __future__ import annotations

import pytest
from batch_norm import Choice, a_dozen
from verify_many import verify_all

from tests.verify.migrating import migrate_into
from tf2towers.report.parity_result import ParityResult

pytest.importorskip("tensorflow")
pytestmark = [pytest.mark.tensorflow, pytest.mark.trainers]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ParityResult]:
    """The verdict on each program; two run at a time."""
    folder = tmp_path_factory.mktemp("batch_norm")
    pairs = {}
    for choice in a_dozen():
        script = folder / choice.name / "script.py"
        script.parent.mkdir()
        script.write_text(choice.text)
        migrate_into(script, script.parent / "migrated")
        pairs[choice.name] = script, script.parent / "migrated" / "script.py", ()
    return verify_all(pairs)


@pytest.mark.parametrize("choice", a_dozen(), ids=lambda choice: choice.name)
def test_parity(choice: Choice, results: dict[str, ParityResult]) -> None:
    result = results[choice.name]
    assert result.outcome == "bitwise" or (result.outcome == "within" and choice.towers > 2), result.error
    assert result.calls > 6
