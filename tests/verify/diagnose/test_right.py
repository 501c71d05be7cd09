"""Runs that are right, but for rounding, and recordings with gaps: nothing is said, nothing is raised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.verify.diagnose.simulated import Trainer, both, run
from tf2towers.verify.diagnose import diagnose
from tf2towers.verify.recording import Facts, Recording, Step

pytestmark = pytest.mark.filterwarnings("error")

RIGHT = {
    "momentum": Trainer(),
    "gradient descent": Trainer(optimizer="sgd"),
    "adam": Trainer(optimizer="adam", rate=1e-3),
    "adam on tiny gradients": Trainer(optimizer="adam", rate=1e-3, scale=1e-5),
    "a drop": Trainer(drop=(3, 0.1)),
    "regularised": Trainer(l2=0.05, l1=0.01),
    "clipped after": Trainer(clip=("global", "after", 0.3)),
    "clipped before": Trainer(clip=("norm", "before", 0.1)),
    "averages": Trainer(ema=0.99),
    "all statistics": Trainer(policy="all"),
    "tiny gradients": Trainer(scale=1e-20),
    "no gradients": Trainer(scale=0.0),
    "a tiny rate": Trainer(rate=1e-9),
    "nothing but inputs": Trainer(own_gradients=False),
}


@pytest.mark.parametrize("towers", [1, 4])
@pytest.mark.parametrize("what", RIGHT)
def test_a_right_run_has_no_diagnosis(what: str, towers: int) -> None:
    for noise in (0.0, 1e-6):
        assert diagnose(*both(replace(RIGHT[what], towers=towers), noise)) == []


@pytest.mark.parametrize("noise", [1e-7, 1e-5])
def test_rounding_of_another_tensorflow_has_none(noise: float) -> None:
    assert diagnose(*both(Trainer(ema=0.9, drop=(3, 0.1)), noise)) == []


def _without(kind: str) -> Callable[[Recording], None]:
    def change(recording: Recording) -> None:
        for step in recording.steps:
            setattr(step, kind, type(getattr(step, kind))())

    return change


def _not_a_number(recording: Recording) -> None:
    for step in recording.steps[2:]:
        for arrays in (step.variables, step.after, step.gradients, *step.tower_gradients):
            for name, value in arrays.items():
                if value.dtype.kind == "f":
                    arrays[name] = np.full_like(value, np.nan)
        step.losses = [np.float32(np.nan) for _ in step.losses]


def _infinite(recording: Recording) -> None:
    for step in recording.steps:
        step.gradients["bn/beta"] = np.full_like(step.gradients["bn/beta"], np.inf)


def _sparse(recording: Recording) -> None:
    for step in recording.steps:
        for arrays in (step.gradients, *step.tower_gradients):
            value = arrays.pop("hidden/weights")
            arrays["hidden/weights//values"] = np.concatenate([value / 2, value / 2])
            arrays["hidden/weights//indices"] = np.tile(np.arange(len(value)), 2)


def _words(recording: Recording) -> None:
    for step in recording.steps:
        step.inputs["names"] = np.array(["one", "two"])
        step.variables["vocabulary"] = step.after["vocabulary"] = np.array(["a", "b"])


PARTS = ("variables", "after", "gradients", "tower_gradients", "losses", "inputs")
GAPS: dict[str, Callable[[Recording], None]] = {
    **{f"no {kind}": _without(kind) for kind in PARTS},
    "not a number": _not_a_number,
    "infinite": _infinite,
    "sparse": _sparse,
    "words": _words,
    "no facts": lambda recording: setattr(recording, "facts", Facts()),
    "no steps": lambda recording: recording.steps.clear(),
    "empty steps": lambda recording: recording.steps.__setitem__(slice(None), [Step(), Step()]),
    "fewer steps": lambda recording: recording.steps.__delitem__(slice(2, None)),
    "one tower less": lambda recording: [step.tower_gradients.pop() for step in recording.steps],
}


@pytest.mark.parametrize("side", ["original", "migrated", "both"])
@pytest.mark.parametrize("gap", GAPS)
def test_a_recording_with_gaps_is_no_mistake(gap: str, side: str) -> None:
    original, migrated = run(Trainer(ema=0.9)), run(Trainer(ema=0.9))
    for recording, named in ((original, "original"), (migrated, "migrated")):
        if side in (named, "both"):
            GAPS[gap](recording)
    found = diagnose(original, migrated)
    if gap not in ("not a number", "infinite") or side == "both":
        assert found == []


def test_gaps_with_a_mistake_raise_nothing() -> None:
    for gap, change in GAPS.items():
        trainer = Trainer(optimizer="adam", rate=1e-2)
        _, migrated = both(trainer, 0.0, factor=2.0, policy="mean", counter=2)
        original = run(trainer)
        change(original)
        assert isinstance(diagnose(original, migrated), list), gap
        assert isinstance(diagnose(migrated, original), list), gap


def test_a_mistake_in_sparse_gradients_is_named() -> None:
    original, migrated = run(Trainer()), run(Trainer(factor=2.0))
    _sparse(original)
    _sparse(migrated)
    assert [d.name for d in diagnose(original, migrated)] == ["sum for mean"]
