"""Mistakes seeded into trainers of `make soundness`: `verify` catches each, and gives the right ones no alarm."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import mistakes
import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

TF1 = os.environ.get("TF2TOWERS_TF1_PYTHON")
#: trainers with batch norm, of which one has dropout and clips: every mistake is in one of them
NUMBERS = (8, 23)
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


@pytest.mark.skipif(not TF1, reason="TF2TOWERS_TF1_PYTHON names no interpreter")
@pytest.mark.parametrize("number", NUMBERS)
def test_a_mistake_is_no_rounding(number: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Against a real TensorFlow 1, with Adam and a bias before the norm in one of them."""
    outcomes = mistakes.outcomes(number, tmp_path_factory.mktemp("beside_tensorflow_1"), TF1)
    assert outcomes == {name: "within" if name == "right" else "differs" for name in outcomes}


def test_every_mistake_is_among_them() -> None:
    assert {name for _, name in CASES} == {"right", *mistakes.MISTAKES}
