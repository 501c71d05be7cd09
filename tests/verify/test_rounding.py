"""The rule 'rounding' on a small net in NumPy: a bias before a batch norm, summed up in two orders and in float64."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tf2towers.report.parity_html import parity_page
from tf2towers.report.parity_json import parity_as_json
from tf2towers.report.parity_result import Comparison, ParityResult, Side
from tf2towers.report.parity_text import render_parity
from tf2towers.verify.compare import Tolerances, compare
from tf2towers.verify.recording import Arrays, Recording, Step
from tf2towers.verify.rounding import NoReference, check_same_step, hopeless, last_step, tell

STEPS, ROWS = 8, 32
SHAPES = {"w": (5, 6), "bias": (6,), "gamma": (6,), "beta": (6,), "out": (6, 1), "table": (4, 5)}


@dataclass(frozen=True)
class Trainer:
    """How a side computes; what one field changes is a mistake, but for `backwards`."""

    optimizer: str = "momentum"
    backwards: bool = False  # the rows of a batch in another order
    epsilon: float = 1e-3
    factor: float = 1.0  # of one gradient
    rate: float = 0.01
    adam_epsilon: float = 1e-8
    decay: float = 0.9  # of the moving mean


def gradients(trainer: Trainer, weights: Arrays, batch: Arrays, dtype: type) -> tuple[Arrays, np.ndarray]:
    """Loss, gradients and the mean of the layer before the norm, all in one type."""
    order = slice(None, None, -1 if trainer.backwards else 1)
    x, ids, y = (batch[name][order] for name in ("x", "ids", "y"))
    x, y, of = (
        x.astype(dtype),
        y.astype(dtype),
        {name: weight.astype(dtype) for name, weight in weights.items()},
    )
    inner = x + of["table"][ids]
    z = inner @ of["w"] + of["bias"]
    mean = z.mean(0)
    rate = dtype(1) / np.sqrt(np.square(z - mean).mean(0) + dtype(trainer.epsilon))
    normal = (z - mean) * rate
    active = normal * of["gamma"] + of["beta"]
    apart = np.tanh(active) @ of["out"] - y
    d_active = (apart @ of["out"].T) * (dtype(1) - np.square(np.tanh(active))) * dtype(2 / ROWS)
    d_normal = d_active * of["gamma"]
    d_z = rate * (d_normal - d_normal.mean(0) - normal * (d_normal * normal).mean(0))
    found = {
        "loss": np.square(apart).mean(),
        "w": inner.T @ d_z * dtype(trainer.factor),
        "bias": d_z.sum(0),
        "gamma": (d_active * normal).sum(0),
        "beta": d_active.sum(0),
        "out": np.tanh(active).T @ apart * dtype(2 / ROWS),
        "table//values": (d_z @ of["w"].T)[order],
        "table//indices": batch["ids"],
    }
    assert all(value.dtype == dtype for name, value in found.items() if name != "table//indices")
    return found, mean


def updated(trainer: Trainer, before: Arrays, gradient: Arrays, mean: np.ndarray) -> Arrays:
    after = dict(before)
    after["moving_mean"] = before["moving_mean"] * np.float32(trainer.decay) + mean * np.float32(
        1 - trainer.decay
    )
    rate = np.float32(trainer.rate)
    for name, shape in SHAPES.items():
        if name == "table":
            g = np.zeros(shape, np.float32)
            np.add.at(g, gradient["table//indices"], gradient["table//values"])
        else:
            g = gradient[name]
        if trainer.optimizer == "momentum":
            slot = after[f"{name}/Momentum"] = before[f"{name}/Momentum"] * np.float32(0.9) + g
            after[name] = before[name] - rate * slot
        else:
            m = after[f"{name}/Adam"] = before[f"{name}/Adam"] * np.float32(0.9) + g * np.float32(0.1)
            v = after[f"{name}/Adam_1"] = before[f"{name}/Adam_1"] * np.float32(0.999) + g * g * np.float32(
                0.001
            )
            after[name] = before[name] - rate * m / (np.sqrt(v) + np.float32(trainer.adam_epsilon))
    return after


def batches() -> list[Arrays]:
    random = np.random.default_rng(5)
    return [
        {
            "x": random.normal(size=(ROWS, 5)).astype(np.float32),
            "ids": random.integers(0, 4, ROWS),
            "y": random.normal(size=(ROWS, 1)).astype(np.float32),
        }
        for _ in range(STEPS)
    ]


def first(trainer: Trainer) -> Arrays:
    random = np.random.default_rng(7)
    weights = {name: random.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}
    slots = ["Momentum"] if trainer.optimizer == "momentum" else ["Adam", "Adam_1"]
    kept = {f"{name}/{slot}": np.zeros(shape, np.float32) for name, shape in SHAPES.items() for slot in slots}
    return {**weights, **kept, "moving_mean": np.zeros(6, np.float32)}


def step(trainer: Trainer, before: Arrays, batch: Arrays, dtype: type = np.float32) -> Step:
    found, mean = gradients(trainer, {name: before[name] for name in SHAPES}, batch, dtype)
    loss = found.pop("loss")
    if dtype is np.float64:
        plain = step(trainer, before, batch)
        exact = {name: value for name, value in found.items() if name != "table//indices"}
        return replace(plain, gradients64=exact, tower_gradients64=[exact], losses64=[loss])
    after = updated(trainer, before, found, mean)
    return Step(before, after, found, [found], [loss], batch, summaries={"loss": loss})


def run(trainer: Trainer, dtype: type = np.float32) -> list[Step]:
    before, steps = first(trainer), []
    for batch in batches():
        steps.append(step(trainer, before, batch, dtype))
        before = steps[-1].after
    return steps


def in_lockstep(trainer: Trainer, original: list[Step]) -> list[Step]:
    return [step(trainer, mine.variables, batch) for mine, batch in zip(original, batches(), strict=True)]


def told(trainer: Trainer, right: Trainer | None = None) -> dict[tuple[str, str], Comparison]:
    """What comes of a migrated trainer against the right one, tolerance 0."""
    right = right or Trainer(trainer.optimizer)
    original, reference = run(right), run(right, np.float64)
    migrated = in_lockstep(trainer, original)
    plain = compare(original, migrated)
    return {
        (comparison.kind, comparison.name): comparison
        for comparison in tell(plain, original, migrated, reference)
    }


@pytest.mark.parametrize("optimizer", ["momentum", "adam"])
def test_another_order_is_rounding(optimizer: str) -> None:
    found = told(Trainer(optimizer, backwards=True))
    assert [key for key, comparison in found.items() if not comparison.within] == []
    bias = found["gradient", "bias"]
    assert bias.rounding and bias.max_rel > 0.1 and not bias.bitwise
    assert found["variable", "moving_mean"].rounding
    if optimizer == "adam":  # it makes whole steps of it
        weights = found["variable", "bias"]
        assert weights.rounding and weights.max_abs > 1e-4
    assert found["variable", "w"].within


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        (Trainer(factor=1.0001), ("gradient", "w")),
        (Trainer(factor=2.0), ("gradient", "w")),
        (Trainer(epsilon=1.01e-3), ("gradient", "gamma")),
        (Trainer(epsilon=2e-3), ("loss", "tower 0")),
        (Trainer(epsilon=1.01e-3), ("gradient", "table//values")),
        (Trainer(rate=0.0101), ("variable", "w")),
        (Trainer("adam", rate=0.0101), ("variable", "table")),
        (Trainer("adam", adam_epsilon=1e-6), ("variable", "w")),
        (Trainer(decay=0.901), ("variable", "moving_mean")),
    ],
)
@pytest.mark.parametrize("backwards", [False, True])
def test_a_real_difference_stays_one(wrong: Trainer, where: tuple[str, str], backwards: bool) -> None:
    found = told(replace(wrong, backwards=backwards))
    assert not found[where].within and not found[where].rounding
    assert found["input", "x"].bitwise


def test_what_is_too_far_apart_needs_no_float64_run() -> None:
    original = run(Trainer())

    def is_hopeless(trainer: Trainer) -> bool:
        migrated = in_lockstep(trainer, original)
        return hopeless(compare(original, migrated), original, migrated)

    assert not is_hopeless(Trainer(backwards=True))
    assert not is_hopeless(Trainer(factor=1.0001))
    assert is_hopeless(Trainer(factor=1.5))
    assert is_hopeless(Trainer(rate=0.02)), "every gradient is bit-identical"
    missing = compare(original, [replace(made, losses=[]) for made in original])
    assert hopeless(missing, original, original)


def test_only_steps_that_differ_are_asked_for() -> None:
    original = run(Trainer())
    migrated = [*in_lockstep(Trainer(backwards=True), original)[:3], *original[3:]]
    comparisons = compare(original, migrated)
    steps = last_step(comparisons, Tolerances()) + 1
    assert steps == 3
    assert all(
        comparison.within
        for comparison in tell(comparisons, original, migrated, run(Trainer(), np.float64)[:steps])
    )
    assert last_step(compare(original, original), Tolerances()) == -1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"inputs": {"x": np.ones(3)}}, "other inputs at step 4"),
        ({"variables": {}}, "other variables"),
        ({"draws": [[np.ones(2)]]}, "other random numbers"),
        ({"draws": []}, "other random numbers"),
    ],
)
def test_a_second_run_that_is_another_one(change: dict[str, Any], said: str) -> None:
    recorded = Step({"w": np.ones(2)}, inputs={"x": np.zeros(3)}, draws=[[np.zeros(2)]])
    check_same_step(4, recorded, replace(recorded, gradients64={"w": np.ones(2)}))
    with pytest.raises(NoReference, match=said):
        check_same_step(4, recorded, replace(recorded, **change))


def test_a_float64_run_that_computes_something_else_is_not_believed() -> None:
    """Then both sides are far from it, which says nothing of how far they are from each other."""
    original = run(Trainer())
    migrated = in_lockstep(Trainer(factor=1.0001), original)
    off = [
        replace(made, gradients64={**made.gradients64, "w": made.gradients64["w"] * 1.01})
        for made in run(Trainer(), np.float64)
    ]
    found = {(c.kind, c.name): c for c in tell(compare(original, migrated), original, migrated, off)}
    assert not found["gradient", "w"].within


@pytest.mark.parametrize("side", ["original", "migrated"])
@pytest.mark.parametrize(
    ("spread", "times", "right"),
    [
        ({2: 0.03}, 1, True),  # at this step a ReLU is next to 0, say
        ({}, 1, False),
        ({3: 0.03}, 1, False),  # at another one
        ({2: 0.03}, 5, False),  # it goes further than that makes it go
    ],
)
def test_where_something_tips_is_rounding(
    side: str, spread: dict[int, float], times: int, right: bool
) -> None:
    steps, reference = run(Trainer()), run(Trainer(), np.float64)
    gradient = steps[2].gradients["w"].copy()
    largest = float(np.abs(gradient).max())
    gradient[1] += np.float32(0.03 * largest * times)
    tipped = [*steps[:2], replace(steps[2], gradients={**steps[2].gradients, "w": gradient}), *steps[3:]]
    for place, size in spread.items():
        reference[place] = replace(reference[place], spread={"gradient64|w": np.float64(size * largest)})
    original, migrated = (tipped, steps) if side == "original" else (steps, tipped)
    comparisons = compare(original, migrated, kinds=["gradient"])
    assert not hopeless(comparisons, original, migrated)
    reference = [replace(wide, after=mine.after) for wide, mine in zip(reference, original, strict=True)]
    (found,) = [c for c in tell(comparisons, original, migrated, reference) if c.name == "w"]
    assert found.rounding == found.within == right


@pytest.mark.parametrize("broken", [np.nan, np.inf])
def test_no_number_is_no_rounding(broken: float) -> None:
    original = run(Trainer())
    migrated = in_lockstep(Trainer(backwards=True), original)
    migrated[2].gradients["w"] = migrated[2].gradients["w"] * np.float32(broken)
    plain, reference = compare(original, migrated), run(Trainer(), np.float64)
    found = {(c.kind, c.name): c for c in tell(plain, original, migrated, reference)}
    assert not found["gradient", "w"].within and hopeless(plain, original, migrated)


def test_the_reports_say_so() -> None:
    result = ParityResult(Side("original", Path("a.py")), Side("migrated", Path("b.py")), steps=STEPS)
    result.comparisons = list(told(Trainer(backwards=True)).values())
    result.outcome = "within"
    rows = [line for line in render_parity(result).splitlines() if line.strip().startswith("rounding")]
    assert any(" bias " in row for row in rows)
    assert render_parity(result).startswith("WITHIN ROUNDING: every ")
    result.comparisons.append(Comparison("gradient", "c", "", False, True, 0, 1e-9, 2.0**-30))
    result.tolerance = 1e-6
    first_line = render_parity(result).splitlines()[0]
    assert first_line.startswith("WITHIN TOLERANCE 1e-06") and "agrees to 9.32e-10" in first_line
    assert "differ by rounding" in first_line
    assert any(line.strip().startswith("rounding") for line in parity_page(result).splitlines())
    listed = json.loads(parity_as_json(result))["comparisons"]
    assert {entry["name"] for entry in listed if entry["rounding"] and entry["kind"] == "gradient"} >= {
        "bias",
        "w",
    }


def test_float64_values_are_written_and_read(tmp_path: Path) -> None:
    recorded = run(Trainer(), np.float64)[0]
    Recording([recorded]).save(tmp_path)
    again = Recording.load(tmp_path).steps[0]
    assert again.losses64[0].dtype == np.float64
    np.testing.assert_equal(again.gradients64, recorded.gradients64)
    np.testing.assert_equal(again.tower_gradients64, recorded.tower_gradients64)
