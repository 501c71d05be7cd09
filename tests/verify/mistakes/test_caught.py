"""Mistakes seeded into trainers of `make soundness`: `verify` catches each, and gives the right ones no alarm."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import mistakes
import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

#: trainers with batch norm, dropout and a regulariser, one of which clips: every mistake is in one of them
NUMBERS = (6, 31)
CASES = [(number, name) for number in NUMBERS for name in mistakes.scripts_of(number)]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, str]]:
    folder = tmp_path_factory.mktemp("trainers")
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda number: mistakes.outcomes(number, folder), NUMBERS)
        return dict(zip(NUMBERS, results, strict=True))


@pytest.mark.parametrize(("number", "name"), CASES)
def test_a_mistake_differs_and_a_right_trainer_does_not(
    number: int, name: str, found: dict[int, dict[str, str]]
) -> None:
    assert found[number][name] == ("bitwise" if name == "right" else "differs")


def test_every_mistake_is_among_them() -> None:
    assert {name for _, name in CASES} == {"right", *mistakes.MISTAKES}
