"""Two TensorFlows, simulated: one trainer whose sums are in another order, right or with a mistake, however small."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from tests.verify.calls.recordings import call, run
from tf2towers.verify.calls.call_comparison import compare, within
from tf2towers.verify.calls.rounding import MOVES, Rounding, Sizes
from tf2towers.verify.comparison import OTHER_TENSORFLOW, outcome_of
from tf2towers.verify.recording import Arrays

STEPS = 8
WEIGHTS = ["w", "bias", "out"]
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
    "a rate that is one part in 1,000 off": {"rate": 0.01001},
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


def stepped(given: Arrays, number: int, order: int, how: dict[str, float]) -> tuple[Arrays, dict[str, Any]]:
    """A step of Adam, with moving averages, from these variables: those after it, and its call."""
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
    made = {f"gradient_{name}": gradient for name, gradient in grads.items()}
    return after, call(fetched_0000=loss, **made, **_variables(after))


def _variables(values: Arrays) -> dict[str, Any]:
    return {f"variable_{name}": value for name, value in values.items()}


def moved(values: Arrays, seed: int | Literal["up"]) -> Arrays:
    """The weights moved by one unit in their last place."""
    rng = np.random.RandomState(0 if seed == "up" else seed)

    def signs(value: np.ndarray) -> np.ndarray:
        return np.sign(value) if seed == "up" else rng.choice([-1, 1], value.shape)

    return {
        name: (value * (1 + signs(value) * np.finfo(np.float32).eps)).astype(np.float32)
        if name in WEIGHTS
        else value
        for name, value in values.items()
    }


def outcomes(folder: Path, **mistake: float) -> tuple[str, str, dict[str, float]]:
    """Of the two runs; call by call from the original's variables; and what counts as rounding."""
    how: dict[str, Any] = {**RIGHT, **mistake}
    now = its = first_weights()
    begin = call(trains=False, **_variables(now))
    runs: dict[str, list[dict[str, Any]]] = {
        name: [begin] for name in ("original", "own", "in step", "up", "moved", "moved again")
    }
    for number in range(STEPS):
        runs["in step"].append(stepped(now, number, 5, how)[1])
        runs["up"].append(stepped(moved(now, "up"), number, 0, RIGHT)[1])
        runs["moved"].append(stepped(moved(now, 1), number, 0, RIGHT)[1])
        runs["moved again"].append(stepped(moved(now, 2), number, 0, RIGHT)[1])
        now, original = stepped(now, number, 0, RIGHT)
        its, own = stepped(its, number, 5, how)
        runs["original"].append(original)
        runs["own"].append(own)
    made = {name: run(folder / name, *calls, trainable=WEIGHTS) for name, calls in runs.items()}
    original, again = made["original"], [made["up"], made["moved"], made["moved again"]]
    whole = compare(original, made["own"], within(OTHER_TENSORFLOW))
    assert len(again) == len(MOVES)
    rounding = Rounding(original, made["in step"], again)
    found = compare(original, made["in step"], rounding, others=again)
    return outcome_of(whole.comparisons), outcome_of(found.comparisons), rounding.found


def test_rounding_alone_is_within(tmp_path: Path) -> None:
    """The two runs part, since Adam makes whole steps of the bias's rounding; call by call that is all."""
    whole, in_step, found = outcomes(tmp_path)
    assert (whole, in_step) == ("differs", "within")
    assert found["bias"] == 1.0 and all(part < 0.1 for name, part in found.items() if name != "bias")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_small_mistake_is_none(name: str, tmp_path: Path) -> None:
    whole, in_step, _ = outcomes(tmp_path, **MISTAKES[name])
    assert (whole, in_step) == ("differs", "differs")


ONE = np.array([1.0, 2.0, 4.0], np.float32)


@pytest.mark.parametrize(
    ("mine", "moved", "its", "found"),
    [
        (1e-3, 2e-3, -2e-3, {"w"}),  # both sides have something of one size where there is nothing
        (1e-3, 1e-3 + 1e-9, 1e-3, set()),
        (1e-3, 1.2e-3, 1e-3, set()),  # rounding moves it by a fifth: it is not nothing
        (1e-3, 2e-3, 1.0, set()),  # of another size: a mistake
        (0.0, 0.0, 0.0, set()),  # of no size: a variable that it does not move may differ by a mistake
    ],
)
def test_gradients_that_are_rounding_alone(
    mine: float, moved: float, its: float, found: set[str], tmp_path: Path
) -> None:
    runs = [
        run(tmp_path / f"{size}", *[call(gradient_w=np.float32(size) * ONE)] * 2)
        for size in (mine, its, moved)
    ]
    assert Sizes(*runs[:2], runs[2:]).gradients_of_rounding() == found
    assert Sizes(runs[0], run(tmp_path / "none", call()), runs[2:]).gradients_of_rounding() == set()


def test_a_sum_of_rounding_may_be_0_in_one_step(tmp_path: Path) -> None:
    """The bias before a softmax over its whole axis: -1.4e-11, then 0.0 on one side."""
    sizes = {"original": (1e-8, 0.0), "migrated": (0.0, 2e-8), "moved": (2e-8, 1e-8)}
    runs = [
        run(tmp_path / name, *(call(gradient_b=np.float32(size) * ONE) for size in of_calls))
        for name, of_calls in sizes.items()
    ]
    assert Sizes(*runs[:2], runs[2:]).gradients_of_rounding() == {"b"}


@pytest.mark.parametrize(("its", "outcome"), [(-1e-8, "within"), (2e-7, "differs")])
def test_a_gradient_whose_terms_cancel_out_in_one_step(its: float, outcome: str, tmp_path: Path) -> None:
    """It counts where rounding moves it as far."""
    sizes = {"original": (1.0, 3e-8), "migrated": (1.0, its), "moved": (1.0 + 1e-7, 4e-8)}
    runs = [
        run(tmp_path / name, *(call(gradient_w=np.float32(size) * ONE) for size in of_calls), trainable=["w"])
        for name, of_calls in sizes.items()
    ]
    again = [runs[2], runs[2]]
    rounding = Rounding(*runs[:2], again)
    assert outcome_of(compare(*runs[:2], rounding, others=again).comparisons) == outcome
    assert ("w" in rounding.found) == (outcome == "within")


@pytest.mark.parametrize(
    ("far", "its", "outcome"),
    [
        ([0.0, 4e-3], 5e-3, "within"),  # a ReLU counts in one of the runs, and in the migrated script's
        ([0.0, 4e-3], 2e-2, "differs"),
        ([8e-6, 8e-6], 5e-3, "differs"),  # nothing jumps
        ([8e-6, 8e-6], 2e-4, "differs"),
    ],
)
def test_a_gradient_that_jumps(far: list[float], its: float, outcome: str, tmp_path: Path) -> None:
    near = [1e-6] * len(MOVES)
    changes = [0.0, its, *near, *far]
    runs = [
        run(tmp_path / str(place), call(gradient_w=ONE + np.float32(change)), trainable=["w"])
        for place, change in enumerate(changes)
    ]
    rounding = Rounding(*runs[:2], runs[2:])
    assert outcome_of(compare(*runs[:2], rounding, others=runs[2:]).comparisons) == outcome


def mean(values: np.ndarray) -> np.float32:
    """The mean, with the terms added up one after the other."""
    return np.add.accumulate(values)[-1] / np.float32(values.size)


@pytest.mark.parametrize(
    ("up", "off", "outcome"),
    [
        (True, 0.0, "within"),
        (False, 0.0, "differs"),  # chance cancels out as the terms do
        (True, 1e-7, "differs"),
    ],
)
@pytest.mark.parametrize("kind", ["fetched", "summary"])
def test_a_mean_whose_terms_cancel_out(kind: str, up: bool, off: float, outcome: str, tmp_path: Path) -> None:
    """As of softmax's weights, whose sum is 0 in exact arithmetic: each TensorFlow gives another rounding."""
    half = np.random.RandomState(0).uniform(0, 0.02, 3920).astype(np.float32)
    w = np.concatenate([half, -half])
    means = {
        "original": mean(w),
        "in step": np.float32(mean(w.reshape(2, -1).T.ravel()) + off),
        "up": mean(moved({"w": w}, "up")["w"] if up else w),
        **{f"moved {seed}": mean(moved({"w": w}, seed)["w"]) for seed in (1, 2)},
    }
    runs = [
        run(tmp_path / name, call(**{f"{kind}_0000": value}), trainable=["w"])
        for name, value in means.items()
    ]
    rounding = Rounding(*runs[:2], runs[2:])
    assert outcome_of(compare(*runs[:2], rounding, others=runs[2:]).comparisons) == outcome


@pytest.mark.parametrize(("right", "outcome"), [(19, "within"), (25, "differs")])
def test_a_count_is_no_sum_that_rounds(right: int, outcome: str, tmp_path: Path) -> None:
    """How many examples are right: one may change with the weights' last place, and not 32."""
    counts = (20, right, 21, 21, 20)
    runs = [
        run(tmp_path / str(place), call(fetched_0000=count), trainable=["w"])
        for place, count in enumerate(counts)
    ]
    rounding = Rounding(*runs[:2], runs[2:])
    assert outcome_of(compare(*runs[:2], rounding, others=runs[2:]).comparisons) == outcome


def test_a_run_with_moved_weights_may_go_on_for_longer(tmp_path: Path) -> None:
    """As where a loop ends at some loss: only the two scripts have to make the same calls."""
    one = call(fetched_0000=1.0)
    runs = [
        run(tmp_path / str(place), *[one] * calls, trainable=["w"])
        for place, calls in enumerate((1, 1, 2, 1, 1))
    ]
    found = compare(*runs[:2], Rounding(*runs[:2], runs[2:]), others=runs[2:])
    assert not found.problem and outcome_of(found.comparisons) == "bitwise"


@pytest.mark.filterwarnings("error")
def test_a_value_that_is_infinite_on_both_sides(tmp_path: Path) -> None:
    """Its other elements are compared as if it were not there."""
    strange = np.float32([-np.inf, np.nan, 1.0, 0.0])
    for its, outcome in ((1e-7, "within"), (1e-4, "differs")):
        runs = [
            run(tmp_path / f"{its}{change}", call(fetched_0000=strange + np.float32([0, 0, change, 0])))
            for change in (0.0, its)
        ]
        assert outcome_of(compare(*runs, within(OTHER_TENSORFLOW)).comparisons) == outcome


def test_a_slot_that_the_original_does_not_change(tmp_path: Path) -> None:
    """There is no change to hold it against, but what rounding makes of it."""
    begin = call(trains=False, **_variables({"w": ONE, "w/sum": ONE}))
    changes = {
        "original": {"w": 2 * ONE},
        "in step": {"w": 2 * ONE, "w/sum": 3 * ONE},
        "moved": {"w": 2 * ONE},
    }
    runs = [
        run(tmp_path / name, begin, call(gradient_w=ONE, **_variables(after)), trainable=["w"])
        for name, after in changes.items()
    ]
    again = [runs[2], runs[2]]
    found = compare(*runs[:2], Rounding(*runs[:2], again), others=again)
    assert [each.name for each in found.comparisons if not each.within] == ["w/sum"]
