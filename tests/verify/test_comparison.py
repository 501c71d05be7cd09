"""Recordings made by hand, held against each other; written and read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tf2towers.report.parity_result import Comparison
from tf2towers.verify.comparison import NotComparable, Tolerances
from tf2towers.verify.recorder.writing import Writer
from tf2towers.verify.recording import Facts, Recording, Step
from tf2towers.verify.rewrites.step_comparison import compare
from tf2towers.verify.rewrites.verdict import first_of, share_of

ONE = np.array([1.0, 2.0, 4.0], np.float32)


def step(**changed: object) -> Step:
    whole = {
        "variables": {"w": ONE}, "after": {"w": ONE - 1, "w/Momentum": ONE}, "gradients": {"w": ONE},
        "tower_gradients": [{"w": ONE - 1}, {"w": ONE + 1}], "losses": [np.float32(2.0), np.float32(3.0)],
        "inputs": {"x:0": np.arange(6.0, dtype=np.float32).reshape(2, 3), "y:0": np.arange(2, dtype=np.int32)},
        "draws": [[ONE], [ONE, ONE]],
    }  # fmt: skip
    return Step(**{**whole, **changed})  # type: ignore[arg-type]


def found(original: Step, migrated: Step, **options: object) -> dict[tuple[str, str], Comparison]:
    return {(c.kind, c.name): c for c in compare([original], [migrated], **options)}  # type: ignore[arg-type]


def test_equal_steps_are_bitwise_equal_in_all_kinds() -> None:
    comparisons = found(step(), step())
    assert all(made.bitwise and made.within and not made.problem for made in comparisons.values())
    kinds = {"input", "loss", "tower gradient", "gradient", "variable"}
    assert {kind for kind, _ in comparisons} == kinds


@pytest.mark.parametrize(
    ("changed", "name", "problem"),
    [
        ({"gradients": {}}, ("gradient", "w"), "only in the original"),
        ({"gradients": {"w": ONE, "b": ONE}}, ("gradient", "b"), "only in the migrated run"),
        ({"gradients": {"w": ONE[:2]}}, ("gradient", "w"), "shape [3] against [2]"),
        ({"gradients": {"w": ONE.astype(np.float64)}}, ("gradient", "w"), "dtype float32 against float64"),
        ({"gradients": {"w//values": ONE, "w//indices": ONE}}, ("gradient", "w"), "only in the original"),
        ({"losses": [np.float32(2.0)]}, ("loss", "tower 1"), "only in the original"),
        ({"after": {"w": ONE - 1}}, ("variable", "w/Momentum"), "only in the original"),
    ],
)
def test_what_cannot_be_compared_is_a_failure(changed: dict, name: tuple[str, str], problem: str) -> None:
    comparison = found(step(), step(**changed), tolerances=Tolerances(10.0, 10.0))[name]
    assert (comparison.problem, comparison.first_step) == (problem, 0)
    assert not comparison.bitwise and not comparison.within


@pytest.mark.parametrize(
    ("value", "max_rel"),
    [
        (ONE + np.float32(4e-7) * np.array([0, 0, 1], np.float32), 1.19e-7),
        (ONE * 2, 1.0),
        (np.array([1, 2, np.nan], np.float32), np.inf),
    ],
)
def test_the_largest_relative_difference_decides(value: np.ndarray, max_rel: float) -> None:
    comparison = found(step(), step(gradients={"w": value}))["gradient", "w"]
    assert not comparison.bitwise
    np.testing.assert_allclose(comparison.max_rel, max_rel, rtol=0.01)
    near = found(step(), step(gradients={"w": value}), tolerances=Tolerances(1e-6, 0.0))["gradient", "w"]
    assert near.within == (max_rel <= 1e-6)


def test_the_same_nan_is_equal() -> None:
    broken = np.array([np.nan, np.inf, 1.0], np.float32)
    assert found(step(gradients={"w": broken}), step(gradients={"w": broken}))["gradient", "w"].bitwise


@pytest.mark.parametrize(
    ("value", "within"),
    [
        ([np.nan, -np.inf, 1.0000001], True),  # as of log(0) in what a mask leaves out
        ([np.nan, -np.inf, 1.1], False),
        ([np.nan, np.inf, 1.0], False),
        ([0.0, -np.inf, 1.0], False),
    ],
)
def test_other_elements_beside_the_same_nan(value: list[float], within: bool) -> None:
    one, other = (np.array(each, np.float32) for each in ([np.nan, -np.inf, 1.0], value))
    comparison = found(
        step(gradients={"w": one}), step(gradients={"w": other}), tolerances=Tolerances(1e-6, 1e-6)
    )["gradient", "w"]
    assert not comparison.bitwise and comparison.within == within


def test_the_first_step_that_differs_is_named() -> None:
    steps = [step(), step(gradients={"w": ONE * np.float32(1.5)}), step()]
    of_gradients = {c.kind: c for c in compare([step()] * 3, steps) if c.kind == "gradient"}
    assert of_gradients["gradient"].first_step == 1


def test_the_gradient_nearest_to_the_loss_differs_first() -> None:
    """The gradient that is nearest to the loss."""
    both = {"gradients": {"w": ONE, "b": ONE, "v": ONE}}
    other = {"gradients": {"w": ONE * 2, "b": ONE * 2, "v": ONE}}
    later = compare([step(**both)] * 2, [step(**both), step(**other)])
    assert first_of(later, ["w", "b", "v"]) == (1, "b")
    assert first_of(compare([step()], [step()]), ["w"]) == (None, "")
    assert first_of(compare([step()], [step(losses=[ONE[0]] * 2)]), ["w"]) == (0, "")


def test_runs_of_other_lengths() -> None:
    with pytest.raises(NotComparable, match="has made 1 training steps"):
        compare([step()] * 2, [step()])
    with pytest.raises(NotComparable, match="no training step"):
        compare([], [])


def test_one_towers_gradient_is_a_share_of_the_mean() -> None:
    """A replica's loss divided by their number is seen, and compared as that; another factor is not."""
    halves = [np.float32(1.0), np.float32(1.5)]
    parts = [{"w": (ONE - 1) / 2}, {"w": (ONE + 1) / 2}]
    migrated = step(losses=halves, tower_gradients=parts)
    assert share_of(step(), migrated, Facts(towers=2)) == 2
    assert all(comparison.bitwise for comparison in found(step(), migrated, share=2).values())
    assert share_of(step(), step(), Facts(towers=2)) == 1
    assert share_of(step(), step(losses=[loss / 3 for loss in halves]), Facts(towers=2)) == 1


def test_written_and_read(tmp_path: Path) -> None:
    writer = Writer(str(tmp_path))
    writer.step({
        "before|w": ONE, "variable|w": ONE + 1, "gradient|w//values": ONE,
        "tower gradient|1|a|b": ONE, "loss|0": ONE[0], "loss|1": ONE[1], "input|000001|y": ONE, "input|000000|x": ONE,
        "draw|0|0": ONE, "draw|1|0": ONE, "draw|1|1": ONE + 1,
    })  # fmt: skip
    writer.facts({"towers": 2, "trainable": ["w"], "unknown": 1})
    again = Recording.load(tmp_path)
    assert (again.facts, len(again.steps)) == (Facts(towers=2, trainable=["w"]), 1)
    wanted = Step(
        {"w": ONE}, {"w": ONE + 1}, {"w//values": ONE}, [{}, {"a|b": ONE}], [ONE[0], ONE[1]], {"x": ONE, "y": ONE},
        [[ONE], [ONE, ONE + 1]],
    )  # fmt: skip
    np.testing.assert_equal(vars(again.steps[0]), vars(wanted))
    assert list(again.steps[0].inputs) == ["x", "y"]
