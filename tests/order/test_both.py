"""The two adapters find the same pairs in the same programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

Pairs = list[list[str]]


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[Pairs, Pairs]]:
    out, _ = run_python(Path(__file__).with_name("drive_both.py"), PYTHONPATH=str(Path(__file__).parents[2]))
    return json.loads(out.splitlines()[-1])


def test_recorder_and_runtime_find_the_same_pairs(found: dict[str, tuple[Pairs, Pairs]]) -> None:
    assert {case: of_runtime for case, (of_runtime, _) in found.items()} == {
        case: of_recorder for case, (_, of_recorder) in found.items()
    }


def test_each_program_leaves_something_open(found: dict[str, tuple[Pairs, Pairs]]) -> None:
    assert len(found) == 18
    assert {case: len(pairs) for case, (pairs, _) in found.items() if len(pairs) < 9} == {}
