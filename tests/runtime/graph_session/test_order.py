"""The order of a run's reads and writes of one variable, by what `drive_order.py` prints."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

Step = Callable[[list[float], float, float], None]


def average(values: list[float], mean: float, decay: float) -> None:
    values[0] -= (values[0] - mean) * decay


def sometimes(values: list[float], mean: float, decay: float) -> None:
    for _ in range(3 if (mean + 0.5) % 2 < 1 else 2):
        average(values, mean, decay)


def momentum(values: list[float], mean: float, decay: float) -> None:
    values[1] += (mean - values[1]) * decay
    values[0] -= values[1] * 0.5


def debiased(values: list[float], mean: float, decay: float) -> None:
    values[1] += (mean - values[1]) * decay
    values[2] += 1
    values[0] = values[1] / (1 - (1 - decay) ** values[2])


def count(values: list[float], mean: float, decay: float) -> None:
    values[0] += 1


#: case -> what a tower does, and the values before: updates come one after the other, in built
#: order
ONE_AFTER_THE_OTHER: dict[str, tuple[Step, list[float]]] = {
    **dict.fromkeys(
        ("moving_average", "colocated", "assigned", "read_value", "waiting", "in_branches", "in_inner_branches"),
        (average, [0.0]),
    ),
    **dict.fromkeys(("scattered", "scatter_updated"), (average, [0.0])),
    "averages": (average, [8.0]),
    "in_a_branch_of_some": (sometimes, [0.0]),
    "own_momentum": (momentum, [0.0, 0.0]),
    "debiased": (debiased, [0.0, 0.0, 0.0]),
    "counted": (count, [0.0]),
}  # fmt: skip


@pytest.fixture(scope="module", params=["", "always", "never"], ids=["one copy", "all-reduced", "copies"])
def found(request: pytest.FixtureRequest) -> dict[str, list]:
    driver = Path(__file__).with_name("drive_order.py")
    out, _ = run_python(str(driver), "2", TF2TOWERS_COLLECTIVES=request.param)
    return json.loads(out.splitlines()[-1])


def largest(value: object) -> object:
    """A number, or of the rows of a matrix the one that was written."""
    if not isinstance(value, list):
        return value
    return max((largest(part) for part in value), key=abs)


@pytest.mark.parametrize(("towers", "decay"), [(2, 0.5), (8, 0.7)])
@pytest.mark.parametrize("case", ONE_AFTER_THE_OTHER)
def test_updates_of_towers_come_one_after_the_other(
    found: dict[str, list], case: str, towers: int, decay: float
) -> None:
    step, start = ONE_AFTER_THE_OTHER[case]
    values, expected = list(start), []
    for _ in range(3):
        for tower in range(towers):
            step(values, tower + 1.0, decay)
        expected.append(values[0])
    for run in found[f"{case}/{towers}"]:
        assert [largest(value) for value in run] == pytest.approx(expected, abs=2e-4)


def test_a_read_of_another_variable_comes_before_the_writes(found: dict[str, list]) -> None:
    assert found["swapped/2"] == [[2.0, 1.0, 2.0]] * 2


@pytest.mark.parametrize("case", ["trained_side_by_side", "trained_by_hand"])
def test_gradients_are_of_what_there_was_before_the_run(found: dict[str, list], case: str) -> None:
    for towers in (2, 8):
        rate = 1 - 0.02 * sum(range(1, towers + 1))
        for run in found[f"{case}/{towers}"]:
            assert [value[0] for value in run] == pytest.approx([rate, rate**2, rate**3], abs=1e-4)
