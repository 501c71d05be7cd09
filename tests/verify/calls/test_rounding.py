"""Two TensorFlows, simulated: one trainer whose sums are in another order, right or with a mistake, however small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tf2towers.verify.calls.rounding import compare_steps_of_rounding
from tf2towers.verify.comparison import Tolerances, outcome_of, tolerances
from tf2towers.verify.comparison import compare as compare_steps
from tf2towers.verify.recording import Arrays, Facts, Recording, Step

STEPS = 8
VERSIONS = ("1.15.5", "2.21.0")
RIGHT = {
    "rate": 0.01,
    "penalty": 1e-4,
    "decay": 0.9999,
    "epsilon": 1e-3,
    "of_adam": 1e-8,
    "scale": 1.0,
    "momentum": 0.99,
}
#: as a migration makes them, each small beside what it changes
MISTAKES = {
    "a lost penalty": {"penalty": 0.0},
    "a rate that is half a percent off": {"rate": 0.01005},
    "another decay of the average": {"decay": 0.999},
    "another decay of the statistics": {"momentum": 0.9901},
    "another epsilon of the norm": {"epsilon": 1.1e-3},
    "another epsilon of Adam": {"of_adam": 1e-3},
    "a gradient that is one part in 10,000 off": {"scale": 1.0001},
}


def first_weights() -> Arrays:
    rng = np.random.RandomState(1)
    shapes = {"w": (20, 16), "bias": (16,), "out": (16, 1)}
    weights = {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    zeros = {
        f"{name}/{slot}": np.zeros_like(value)
        for name, value in weights.items()
        for slot in ("Adam", "Adam_1")
    }
    averages = {f"{name}/ExponentialMovingAverage": value.copy() for name, value in weights.items()}
    return {**weights, **zeros, **averages, "moving_mean": np.zeros(16, np.float32)}


def batch(number: int, order: int) -> tuple[np.ndarray, np.ndarray]:
    """A batch; its rows in another order, in which their sums are rounded otherwise."""
    rng = np.random.RandomState(number)
    x, y = rng.normal(0, 1, (64, 20)).astype(np.float32), rng.normal(0, 1, (64, 1)).astype(np.float32)
    rows = np.random.RandomState(order).permutation(64) if order else np.arange(64)
    return x[rows], y[rows]


def gradients(
    given: Arrays, number: int, order: int, how: dict[str, float]
) -> tuple[Arrays, np.ndarray, np.ndarray]:
    """The gradients, the loss and the mean before the norm; the gradient of `bias` is 0 in exact arithmetic."""
    x, y = batch(number, order)
    h = x @ given["w"] + given["bias"]
    mean, spread = h.mean(0), 1 / np.sqrt(h.var(0) + np.float32(how["epsilon"]))
    normal = (h - mean) * spread
    t = np.tanh(normal)
    off = t @ given["out"] - y
    d_off = 2 * off / len(x)
    d_normal = (d_off @ given["out"].T) * (1 - t * t)
    d_h = spread * (d_normal - d_normal.mean(0) - normal * (d_normal * normal).mean(0))
    scale, penalty = np.float32(how["scale"]), np.float32(how["penalty"])
    found = {"w": x.T @ d_h, "bias": d_h.sum(0), "out": t.T @ d_off + penalty * given["out"]}
    return (
        {name: (scale * value).astype(np.float32) for name, value in found.items()},
        (off * off).mean(),
        mean,
    )


def stepped(given: Arrays, number: int, order: int, how: dict[str, float]) -> Step:
    """A step of Adam, with moving averages, from these variables."""
    grads, loss, mean = gradients(given, number, order, how)
    after = dict(given)
    for name, gradient in grads.items():
        m = after[f"{name}/Adam"] = np.float32(0.9) * given[f"{name}/Adam"] + np.float32(0.1) * gradient
        v = np.float32(0.999) * given[f"{name}/Adam_1"] + np.float32(0.001) * gradient * gradient
        after[f"{name}/Adam_1"] = v
        rate = np.float32(how["rate"] * np.sqrt(1 - 0.999 ** (number + 1)) / (1 - 0.9 ** (number + 1)))
        after[name] = given[name] - rate * m / (np.sqrt(v) + np.float32(how["of_adam"]))
        shadow = given[f"{name}/ExponentialMovingAverage"]
        after[f"{name}/ExponentialMovingAverage"] = shadow - np.float32(1 - how["decay"]) * (
            shadow - after[name]
        )
    moving = given["moving_mean"]
    after["moving_mean"] = moving - np.float32(1 - how["momentum"]) * (moving - mean)
    return Step(variables=given, after=after, gradients=grads, losses=[loss])


def noise_of(step: Step, number: int, order: int, how: dict[str, float]) -> Arrays:
    """What `tf2towers.verify.recorder.noise` measures."""
    rng, found = (
        np.random.RandomState(7),
        {name: np.zeros(value.shape) for name, value in step.gradients.items()},
    )
    for _ in range(3):
        moved = {
            name: (value * (1 + rng.choice([-1, 1], value.shape) * np.finfo(np.float32).eps)).astype(
                np.float32
            )
            for name, value in step.variables.items()
        }
        for name, value in gradients(moved, number, order, how)[0].items():
            found[name] = np.maximum(found[name], np.abs(value - step.gradients[name].astype(np.float64)))
    return found


def runs(**mistake: float) -> tuple[list[Step], list[Step], list[Step]]:
    """An original; the other program's own run; its steps, each from the original's variables."""
    original, own, in_step = list[Step](), list[Step](), list[Step]()
    how: dict[str, Any] = {**RIGHT, **mistake}
    now = its = first_weights()
    for number in range(STEPS):
        original.append(stepped(now, number, 0, RIGHT))
        original[-1].noise = noise_of(original[-1], number, 0, RIGHT)
        own.append(stepped(its, number, 5, how))
        in_step.append(stepped(now, number, 5, how))
        now, its = original[-1].after, own[-1].after
    return original, own, in_step


def verdicts(**mistake: float) -> tuple[str, str, dict[str, float]]:
    """Of the two runs; step by step; and what counts as rounding."""
    original, own, in_step = runs(**mistake)
    facts = Facts(trainable=["w", "bias", "out"])
    whole = compare_steps(original, own, limits(lockstep=False))
    found, noise = compare_steps_of_rounding(
        Recording(original, facts), Recording(in_step, facts), limits(lockstep=True)
    )
    return outcome_of(whole), outcome_of(found), noise


def limits(*, lockstep: bool) -> Tolerances:
    return tolerances(None, VERSIONS, 1, lockstep)[0]


def test_rounding_alone_is_within() -> None:
    """The two runs part, since Adam makes whole steps of the bias's rounding; step by step that is all."""
    whole, in_step, noise = verdicts()
    assert (whole, in_step) == ("differs", "within")
    assert noise["bias"] == 1.0 and all(part < 0.1 for name, part in noise.items() if name != "bias")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_small_mistake_is_none(name: str) -> None:
    whole, in_step, _ = verdicts(**MISTAKES[name])
    assert (whole, in_step) == ("differs", "differs")
