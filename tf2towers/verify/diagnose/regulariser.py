"""A regulariser that one side has and the other has not.

The gradient of c/2 * sum(w**2) is c*w (`tf.contrib.layers.l2_regularizer(c)`; Keras' `L2(c)` has 2*c*w),
that of c * sum(|w|) is c*sign(w). Recognised variable by variable: the difference of the gradients, original's less
migrated's, is one number times w or sign(w), in all steps, and the other variables' gradients are equal.
"""

from __future__ import annotations

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake, Pair
from tf2towers.verify.diagnose.numbers import Explained, fitted, joined, listed, rounded


def _penalty_gradient(kind: str, weights: np.ndarray) -> np.ndarray:
    return weights if kind == "L2" else np.sign(weights)


def _coefficient(kind: str, name: str, pairs: list[Pair]) -> float | None:
    shape = joined(_penalty_gradient(kind, pair.original.before[name]) for pair in pairs)
    gap = joined(pair.original.gradients[name] - pair.migrated.gradients[name] for pair in pairs)
    found = fitted([shape], gap)
    return None if found is None else float(found[0])


def _explain(explained: Explained, kind: str, coefficient: float, name: str, pairs: list[Pair]) -> None:
    """Adds what this regulariser of a variable would make of the difference."""
    for pair in pairs:
        mine, its = pair.original.gradients[name], pair.migrated.gradients[name]
        assumed = mine - coefficient * _penalty_gradient(kind, pair.original.before[name])
        explained.add(its, assumed, mine, pair.allowed(name))


def _recognise(evidence: Evidence) -> Diagnosis | None:
    differing = {name for pair in evidence.comparable for name in pair.differing} - evidence.untrained
    found: dict[str, tuple[str, float]] = {}
    everything = Explained()
    for name in sorted(differing):
        pairs = [
            pair
            for pair in evidence.comparable
            if name in evidence.names(pair) and name in pair.original.before
        ]
        if not pairs or any(
            pair.original.before[name].shape != pair.original.gradients[name].shape for pair in pairs
        ):
            return None
        best = 0.0
        for kind in ("L2", "L1"):
            coefficient = _coefficient(kind, name, pairs)
            if coefficient is not None:
                explained = Explained()
                _explain(explained, kind, coefficient, name, pairs)
                if explained.part > best:
                    best, found[name] = explained.part, (kind, coefficient)
        if not best:
            return None
        _explain(everything, *found[name], name, pairs)
    if not found:
        return None
    return _diagnosis(evidence, found, everything.part)


def _diagnosis(evidence: Evidence, found: dict[str, tuple[str, float]], part: float) -> Diagnosis | None:
    signs = {coefficient > 0 for _, coefficient in found.values()}
    if len(signs) > 1:
        return None
    missing = signs == {True}
    kinds = sorted({kind for kind, _ in found.values()})
    numbers = [abs(coefficient) for _, coefficient in found.values()]
    middle = float(np.median(numbers))
    spread = max(numbers) > 1.05 * min(numbers)
    rate = f"{rounded(min(numbers))} to {rounded(max(numbers))}" if spread else rounded(middle)
    shape = "w" if kinds == ["L2"] else "sign(w)" if kinds == ["L1"] else "w or sign(w)"
    names = listed(list(found))
    step = evidence.first_difference(set(found))
    kind = " and ".join(kinds)
    if missing:
        name = "missing regulariser"
        said = f"lack {rate} * {shape}, that of an {kind} regulariser; the other gradients are equal."
        todo = "Add the regularisation losses of the original to each replica's loss, once and with the same factor."
    else:
        name = "regulariser added"
        said = (
            f"have {rate} * {shape} more than the original's: an {kind} regulariser that the original has not, or that "
            "is counted more than once; the others are equal."
        )
        todo = "Count the regularisation losses as often as the original does, with the same factor."
    return Diagnosis(name, f"The gradients of {names} {said}", todo, step, part)


REGULARISER = Mistake(("missing regulariser", "regulariser added"), "gradients", _recognise)
