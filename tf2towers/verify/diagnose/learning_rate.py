"""The updates are a multiple of what the original's optimizer would have made of the same gradients.

One multiple in all steps is another learning rate, or, if it is N and the optimizer keeps no state, an update that
every one of N replicas applies (`apply_gradients` within each replica on one variable). Multiples that are 1 until a
step, or change from step to step, are another schedule. The rates are fitted to the recorded updates.
"""

from __future__ import annotations

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake
from tf2towers.verify.diagnose.numbers import fitted, rounded, scaled
from tf2towers.verify.diagnose.updates import ADAM, DESCENT, MOMENTUM, NESTEROV, Change, Updates, updates_of

_NEAR = 5e-3


def _ratios(updates: Updates) -> dict[int, float | None]:
    """Per usable step, the multiple of what was expected; None where nothing moves."""
    found: dict[int, float | None] = {}
    for place in updates.usable_places:
        made = updates.migrated[place]
        allowed = [change.allowed for change in made]
        expected = scaled((updates.expected(place, change) for change in made), allowed)
        factor = fitted([expected], scaled((change.update for change in made), allowed))
        found[place] = None if factor is None else float(factor[0])
    return found


def _recognise(evidence: Evidence) -> Diagnosis | None:
    updates = updates_of(evidence)
    if updates.first is None:
        return None
    ratios = _ratios(updates)

    def assumed(place: int, change: Change) -> np.ndarray:
        ratio = ratios[place]
        return (1.0 if ratio is None else ratio) * updates.expected(place, change)

    part = updates.part(assumed)
    known = [ratio for ratio in ratios.values() if ratio is not None]
    if not part or not known or not np.all(np.isfinite(known)):
        return None
    middle = float(np.median(known))
    constant = all(abs(ratio - middle) <= 2 * _NEAR * abs(middle) for ratio in known)
    rates = _rates(updates, middle) if constant else ""
    if constant and _once_per_replica(evidence, updates, middle):
        return Diagnosis(
            "applied once per replica",
            f"The gradients are equal and every update is {rounded(middle)} times the original's{rates}: each of the "
            f"{evidence.towers} replicas applies it (a learning rate scaled by their number would look the same).",
            "Apply the averaged gradient once, in the cross-replica context or with a mirrored variable.",
            updates.first,
            part,
        )
    if constant:
        return Diagnosis(
            "learning rate",
            f"Every update is {rounded(middle)} times what the original makes of the same gradient{rates}.",
            "Give the optimizer the original's learning rate.",
            updates.first,
            part,
        )
    if "global step" in evidence.found and not evidence.lockstep:
        return None  # the schedule follows the counter
    first = updates.usable_places[0]
    place = next((at for at, ratio in ratios.items() if ratio is not None and abs(ratio - 1) > _NEAR), first)
    step, ratio = updates.pairs[place].index, ratios[place]
    until = f"are the original's until step {step}; there" if place != first else "differ from the first:"
    adam = updates.fit is not None and updates.fit.rule is ADAM
    besides = " Adam's correction of its moments would show in the same way." if adam else ""
    return Diagnosis(
        "learning-rate schedule",
        f"The updates {until} they are {rounded(1.0 if ratio is None else ratio)} times what the original makes of the "
        f"same gradient, and the multiple is not the same in all steps.{besides}",
        "Make the schedule from the original's boundaries, decay and staircase, on the same counter of steps.",
        step,
        part,
    )


def _once_per_replica(evidence: Evidence, updates: Updates, ratio: float) -> bool:
    plain = updates.fit is None or updates.fit.rule is DESCENT
    return plain and evidence.towers > 1 and abs(ratio - evidence.towers) <= 2 * _NEAR * evidence.towers


def _rates(updates: Updates, ratio: float) -> str:
    fit = updates.fit
    if fit is None or fit.rule not in (DESCENT, MOMENTUM, NESTEROV):
        return ""
    rate = next((fit.rate(place) for place in updates.usable_places if fit.rate(place) is not None), None)
    if rate is None:
        return ""
    if fit.rule is NESTEROV:  # its multiples are lr * mu and lr
        return f" ({rounded(ratio * rate)} for {rounded(rate)})"
    return f" (a rate of {rounded(ratio * rate)} for {rounded(rate)})"


LEARNING_RATE = Mistake(
    ("learning rate", "learning-rate schedule", "applied once per replica"), "update", _recognise
)
