"""Variables that one side trains and the other does not.

`tf.gradients` gives None for a variable that the loss does not depend on, and an optimizer that is given another
`var_list` leaves variables alone. Recognised by a gradient of one side only (or that is zero there), or an update that
is zero where the gradient is not.
"""

from __future__ import annotations

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake, View
from tf2towers.verify.diagnose.numbers import ROUNDING, greatest, largest, listed
from tf2towers.verify.recording import Facts

_SIDES = ("original", "migrated")
_NONE = np.zeros(0)


def _without_gradient(sides: list[tuple[View, View]], facts: Facts) -> list[str]:
    """Variables whose gradient the second of the two has nowhere, or as zeros, and the first has."""
    found = []
    for name in {name: None for mine, _ in sides for name in mine.gradients}:
        strong = any(
            largest(mine.gradients[name]) > 1e-5 * greatest(mine.gradients)
            for mine, _ in sides
            if name in mine.gradients
        )
        weak = all(not its.gradients.get(name, _NONE).any() for _, its in sides)
        recorded = any(its.gradients for _, its in sides) or name in facts.without_gradient
        if strong and weak and recorded:
            found.append(name)
    return found


def _without_update(sides: list[tuple[View, View]]) -> list[str]:
    """Variables that have a gradient on both sides and that the second does not move though the first does."""
    found = []
    for name in {name: None for mine, _ in sides for name in mine.gradients}:
        moves = [(mine.change(name), its.change(name)) for mine, its in sides]
        known = [(mine, its) for mine, its in moves if mine is not None and its is not None]
        given = any(its.gradients.get(name, _NONE).any() for _, its in sides)
        moved = any(
            largest(change) > ROUNDING * largest(view.after[name])
            for view, _ in sides
            if (change := view.change(name)) is not None
        )
        if given and known and moved and not any(its.any() for _, its in known):
            found.append(name)
    return found


def _recognise(evidence: Evidence) -> Diagnosis | None:
    forth = [(pair.original, pair.migrated) for pair in evidence.comparable]
    back = [(its, mine) for mine, its in forth]
    for sides, facts, side in ((forth, evidence.migrated_facts, 1), (back, evidence.facts, 0)):
        missing = _without_gradient(sides, facts)
        # all of them: the optimizer is not called, or gradients were not recorded
        if missing:
            evidence.untrained.update(missing)
            listed_there = not facts.trainable or any(name in facts.trainable for name in missing)
            name = "gradient missing" if listed_there else "variable not trained"
            why = "has no gradient" if listed_there else "is not among the optimizer's variables"
            todo = (
                "Find where the loss is cut off from it (a stop_gradient, a NumPy value, a variable made twice)."
                if listed_there
                else "Give the optimizer the variables of the original's var_list."
            )
            return Diagnosis(
                name, f"In the {_SIDES[side]} {listed(missing)} {why}, in the other it has.", todo, 0
            )
        still = _without_update(sides)
        if still:
            evidence.untrained.update(still)
            return Diagnosis(
                "variable not trained",
                f"In the {_SIDES[side]} {listed(still)} does not move though it has a gradient; in the other it does.",
                "Give the optimizer the variables of the original's var_list, and apply what it computes.",
                0,
            )
    return None


NOT_TRAINED = Mistake(("gradient missing", "variable not trained"), "trained", _recognise)
