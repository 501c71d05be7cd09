"""Where two recordings part: the first step, in it the first layer forward and the first variable backward."""

from __future__ import annotations

import numpy as np

from tf2towers.verify.compare import equal, pairs
from tf2towers.verify.diagnose.evidence import Evidence, Pair
from tf2towers.verify.diagnose.numbers import (
    EQUAL,
    ROUNDING,
    apart,
    differing_input,
    largest,
    numeric,
    relative,
)
from tf2towers.verify.recording import Arrays, Recording, Step


def first_differences(original: Recording, migrated: Recording) -> tuple[int | None, str, str]:
    """The first step at which anything differs, its first differing layer, and the gradient nearest to the loss.

    Differences beyond rounding count; where there are none, any differing bit does. Names are empty, and the step None,
    where nothing differs.
    """
    with np.errstate(all="ignore"):
        evidence = Evidence(original, migrated, True)
        for exact in (False, True):
            for pair in evidence.pairs:
                layer = first_layer(pair.original.step, pair.migrated.step, -1.0 if exact else EQUAL)
                gradient = _gradient(evidence, pair, exact)
                if layer or gradient or _differs_anywhere(pair, exact):
                    return pair.index, layer[0] if layer else "", gradient
    return None, "", ""


def _gradient(evidence: Evidence, pair: Pair, exact: bool) -> str:
    if exact:
        mine, its = pair.original.step.gradients, pair.migrated.step.gradients
        differing = {key.split("//")[0] for key in mine if key in its and not equal(mine[key], its[key])}
    else:
        differing = set(pair.differing)
    order = {name: place for place, name in enumerate(evidence.facts.trainable)}
    if not order:
        order = {name: place for place, name in enumerate(pair.original.gradients)}
    return max(differing, key=lambda name: (order.get(name, -1), name), default="")


def _differs_anywhere(pair: Pair, exact: bool) -> bool:
    mine, its = pair.original.step, pair.migrated.step
    if exact:
        return any(
            not equal(value, other)
            for _, _, value, other in pairs(mine, its)
            if value is not None and other is not None
        )
    if differing_input(mine, its) is not None:
        return True
    if relative(pair.original.losses, pair.migrated.losses) > EQUAL and len(mine.losses) == len(its.losses):
        return True
    return _variables(pair)


def _variables(pair: Pair) -> bool:
    for name, value in pair.original.after.items():
        other = pair.migrated.after.get(name)
        if other is None or not numeric(pair.original.step.after[name]):
            continue
        change = largest(pair.original.moved(name), pair.migrated.moved(name)) or largest(value, other)
        if apart(value, other) > 10 * EQUAL * change + ROUNDING * largest(value, other):
            return True
    return False


def paired(left: Arrays, right: Arrays) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """The layers of a tower that both sides have, by name in the original's order, or by place if no name is shared."""
    named = [(name, left[name], right[name]) for name in left if name in right]
    if not named and len(left) == len(right):
        named = [
            (name, value, again) for (name, value), again in zip(left.items(), right.values(), strict=True)
        ]
    return [(name, value, again) for name, value, again in named if value.size >= 5 and again.size >= 5]


def digest_apart(left: np.ndarray, right: np.ndarray) -> float:
    """How far two digests are apart: each sum by the size of what is summed; infinity for other sizes."""
    if not np.all(np.isfinite(left[1:5])) or not np.all(np.isfinite(right[1:5])):
        return 0.0 if np.array_equal(left[1:5], right[1:5], equal_nan=True) else float("inf")
    if left[4] != right[4]:
        return float("inf")
    size, squares = max(left[2], right[2]), max(left[3], right[3])
    if not size or not squares:
        return 0.0
    gaps = (abs(left[1] - right[1]) / size, abs(left[2] - right[2]) / size, abs(left[3] - right[3]) / squares)
    return float(max(gaps))


def first_layer(original: Step, migrated: Step, tolerance: float) -> tuple[str, int] | None:
    """The first layer forward that differs by more than `tolerance`, and the first tower in which it does.

    Layers of all towers go by the order of the first; a tolerance below 0 asks for the same bits.
    """
    found: dict[str, int] = {}
    order: dict[str, int] = {}
    for tower, (mine, its) in enumerate(zip(original.layers, migrated.layers, strict=False)):
        for place, (name, value, again) in enumerate(paired(mine, its)):
            order.setdefault(name, place)
            differs = value[0] != again[0] if tolerance < 0 else digest_apart(value, again) > tolerance
            if differs:
                found.setdefault(name, tower)
                break
    if not found:
        return None
    name = min(found, key=lambda layer: (order[layer], found[layer]))
    return name, found[name]
