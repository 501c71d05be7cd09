"""The ways of TF1 to clip gradients, and where a step clips: recomputed from the towers' gradients.

    norm     t * c / max(|t|, c), each variable by itself          tf.clip_by_norm
    global   the same with one length for all variables together   tf.clip_by_global_norm
    value    min(max(t, -c), c), each element                      tf.clip_by_value

'after': the mean over the towers is clipped; 'before': each tower's own, then the mean is taken. The threshold c is
what the clipped ones have in common: their length, or their greatest element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tf2towers.parity.diagnose.numbers import EQUAL, Vectors, least

Form = Literal["norm", "global", "value"]
Place = Literal["before", "after"]
FORMS: tuple[Form, ...] = ("norm", "global", "value")
CALLS = {"norm": "clip_by_norm", "global": "clip_by_global_norm", "value": "clip_by_value"}
SHORTER = 1 - 10 * EQUAL  # what is not much shorter is not clipped


@dataclass
class Given:
    """Gradients by variable with their lengths (of all elements, where the vectors are only a part)."""

    vectors: Vectors
    norms: dict[str, float]

    def length(self, names: Sequence[str]) -> float:
        """The length of some variables' gradients together."""
        return float(np.sqrt(sum(self.norms[name] ** 2 for name in names)))


def units(form: Form, names: Sequence[str]) -> list[list[str]]:
    """The variables that are clipped together."""
    return [list(names)] if form == "global" else [[name] for name in names]


def clipped(form: Form, threshold: float, given: Given, names: Sequence[str]) -> Vectors:
    """The gradients after clipping."""
    if form == "value":
        return {name: np.clip(given.vectors[name], -threshold, threshold) for name in names}
    made: Vectors = {}
    for unit in units(form, names):
        scale = threshold / max(given.length(unit), threshold)
        made |= {name: scale * given.vectors[name] for name in unit}
    return made


@dataclass(frozen=True)
class Threshold:
    """An estimate; `seen` is how many independent numbers agree on it."""

    value: float
    seen: int


def agreed(numbers: Sequence[float]) -> Threshold | None:
    """The median, if (nearly) all numbers are that."""
    if not numbers:
        return None
    middle = float(np.median(numbers))
    near = sum(abs(number - middle) <= 20 * EQUAL * middle for number in numbers)
    return Threshold(middle, near) if middle > 0 and near >= 0.9 * len(numbers) else None


def threshold_after(
    form: Form, steps: Sequence[tuple[Given, Given]], names: Sequence[str]
) -> Threshold | None:
    """What `steps`, pairs of (whole, clipped), were clipped at."""
    numbers: list[float] = []
    for whole, short in steps:
        if form == "value":
            for name in names:
                cut = np.abs(short.vectors[name]) < SHORTER * np.abs(whole.vectors[name])
                numbers += [float(size) for size in np.abs(short.vectors[name][cut])[:64]]
            continue
        for unit in units(form, names):
            length = short.length(unit)
            if length < SHORTER * whole.length(unit):
                numbers.append(length)
    return agreed(numbers)


def _threshold_of_unit(applied: np.ndarray, towers: list[np.ndarray], lengths: list[float]) -> float | None:
    """Threshold c of mean_j(t_j * min(1, c/|t_j|)) = applied: each piece between two lengths is linear in c."""
    order = np.argsort(lengths)
    best: tuple[float, float] | None = None
    for cut in range(len(towers)):
        whole = sum((towers[j] for j in order[:cut]), np.zeros_like(applied)) / len(towers)
        directions = sum((towers[j] / (lengths[j] or 1.0) for j in order[cut:]), np.zeros_like(applied))
        direction = directions / len(towers)
        size = float(direction @ direction)
        if not size:
            continue
        value = float((applied - whole) @ direction) / size
        low = lengths[order[cut - 1]] if cut else 0.0
        if not low * 0.999 <= value <= lengths[order[cut]] * 1.001:
            continue
        left = float(np.linalg.norm(applied - whole - value * direction))
        if best is None or left < best[0]:
            best = (left, value)
    return None if best is None or best[0] > 10 * EQUAL * float(np.linalg.norm(applied)) else best[1]


def threshold_before(
    form: Form, steps: Sequence[tuple[Given, list[Given]]], names: Sequence[str]
) -> Threshold | None:
    """What the towers' gradients were clipped at, of `steps` of (applied, the towers')."""
    if form == "value":
        return _value_before(steps, names)
    numbers: list[float] = []
    for applied, towers in steps:
        for unit in units(form, names):
            vector = np.concatenate([applied.vectors[name] for name in unit])
            parts = [np.concatenate([tower.vectors[name] for name in unit]) for tower in towers]
            mean = sum(parts[1:], parts[0]) / len(parts)
            if np.linalg.norm(vector - mean) <= 10 * EQUAL * np.linalg.norm(mean):
                continue
            value = _threshold_of_unit(vector, parts, [tower.length(unit) for tower in towers])
            if value is None:
                return None
            numbers.append(value)
    return agreed(numbers)


def _value_before(steps: Sequence[tuple[Given, list[Given]]], names: Sequence[str]) -> Threshold | None:
    """By search: the c whose result is nearest, first over the powers of ten, then nearer and nearer."""
    applied = np.concatenate([given.vectors[name] for given, _ in steps for name in names] or [np.zeros(0)])
    count = min((len(towers) for _, towers in steps), default=0)
    towers = [
        np.concatenate([all_of[j].vectors[name] for _, all_of in steps for name in names])
        for j in range(count)
    ]
    top = max((float(np.max(np.abs(tower), initial=0.0)) for tower in towers), default=0.0)
    if not top or not np.isfinite(top):
        return None

    def left(threshold: float) -> float:
        made = sum(np.clip(tower, -threshold, threshold) for tower in towers) / count
        return float(np.linalg.norm(applied - made))

    best = least(left, top * 1e-4, top, points=25, rounds=12)
    cut = sum(int(np.count_nonzero(np.abs(tower) > best * 1.001)) for tower in towers)
    return Threshold(best, cut) if cut else None
