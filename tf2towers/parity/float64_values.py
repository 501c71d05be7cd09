"""What the float64 run has for a recorded step: its losses and gradients by name, and what they say of a variable."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tf2towers.parity.recording import Arrays, Step
from tf2towers.report.parity_result import Kind


class NoReference(Exception):
    """The float64 run is not one of the recorded steps; the message says why."""


def check_same_step(place: int, left: Step, again: Step) -> None:
    """Says whether a step of a second run of the original starts from what the recorded one started from.

    Raises:
        NoReference: it has other variables, inputs or draws.
    """
    same = {
        "variables": (left.variables, again.variables),
        "inputs": (left.inputs, again.inputs),
        "random numbers": (_numbered(left.draws), _numbered(again.draws)),
    }
    for title, (first, second) in same.items():
        for name, value in first.items():
            if name not in second or not _equal(value, second[name]):
                raise NoReference(f"run again, the original has other {title} at step {place}")


def computed(wide: Step) -> Iterator[tuple[Kind, str, np.ndarray]]:
    """What was computed in float64, named as in `compare.pairs`."""
    for tower, loss in enumerate(wide.losses64):
        yield "loss", f"tower {tower}", loss
    for tower, gradients in enumerate(wide.tower_gradients64):
        for name, value in gradients.items():
            yield "tower gradient", f"tower {tower}: {name}", value
    for name, value in wide.gradients64.items():
        yield "gradient", name, value


def spread_of(kind: Kind, name: str, wide: Step) -> float:
    """By how much one of these is a matter of rounding: see `Step.spread`."""
    tower, _, rest = name.removeprefix("tower ").partition(": ")
    keys = {"loss": f"loss64|{tower}", "gradient": f"gradient64|{name}"}
    return float(wide.spread.get(keys.get(kind, f"tower gradient64|{tower}|{rest}"), 0.0))


def neighbours(kind: Kind, name: str, applied: Arrays, of_towers: list[Arrays]) -> Arrays:
    """The gradients that one is computed with: all applied ones, or all of its tower; of a loss none."""
    if kind == "tower gradient":
        return of_towers[int(name.partition(":")[0].removeprefix("tower "))]
    return applied if kind == "gradient" else {}


def owner_of(name: str, step: Step) -> str | None:
    """The trained variable that a variable is, or is a slot or an average of; None for others, as a moving mean."""
    trained = {key.split("//")[0] for key in step.gradients}
    return max((variable for variable in trained if f"/{variable}/" in f"/{name}/"), key=len, default=None)


def relative_difference(
    owner: str, original: Step, migrated: Step, wide: Step, shape: tuple[int, ...]
) -> np.ndarray | None:
    """|migrated - original| / |g64| of a variable's gradient, element by element; 0 where the two are the same.

    Args:
        original, other, wide: the original's step, the migrated program's, and the one with float64.

    Returns:
        An array of this shape; None where there is no gradient for each of its elements.
    """
    mine, its = _dense(owner, original.gradients, shape), _dense(owner, migrated.gradients, shape)
    rows = {name: value for name, value in original.gradients.items() if name.endswith("//indices")}
    exact = _dense(owner, {**wide.gradients64, **rows}, shape)
    if mine is None or its is None or exact is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(its == mine, 0.0, np.abs(its - mine) / np.abs(exact))


def _dense(name: str, gradients: Arrays, shape: tuple[int, ...]) -> np.ndarray | None:
    """A gradient in the shape of its variable, float64; the rows of a sparse one are added up."""
    if name in gradients:
        found = np.asarray(gradients[name], np.float64)
        return found if found.shape == shape else None
    values, rows = gradients.get(f"{name}//values"), gradients.get(f"{name}//indices")
    if values is None or rows is None or values.shape != (*rows.shape, *shape[1:]):
        return None
    found = np.zeros(shape)
    np.add.at(found, rows, values)
    return found


def _numbered(draws: list[list[np.ndarray]]) -> Arrays:
    return {f"{tower} {place}": draw for tower, drawn in enumerate(draws) for place, draw in enumerate(drawn)}


def _equal(left: np.ndarray, right: np.ndarray) -> bool:
    return np.array_equal(left, right, equal_nan=left.dtype.kind in "fc" and right.dtype.kind in "fc")
