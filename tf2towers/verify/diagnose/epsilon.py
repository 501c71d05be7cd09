"""Adam, RMSProp or Adagrad with another epsilon.

TF1's Adam has 1e-8, outside the correction of the bias (tf.train.AdamOptimizer: "epsilon hat"), Keras' has 1e-7; TF1's
RMSProp has 1e-10, Keras' 1e-7; TF1's Adagrad has none. Recognised by recomputing the update from the slots: with the
original's rate, another epsilon alone must give the migrated run's updates.
"""

from __future__ import annotations

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake
from tf2towers.verify.diagnose.numbers import ENOUGH, rounded
from tf2towers.verify.diagnose.updates import Fit, Updates, searched, updates_of

_SEARCHED = 1_000


def _left(updates: Updates, fit: Fit, epsilon: float) -> float:
    total = 0.0
    for place in updates.usable_places:
        for change in updates.migrated[place]:
            vector = fit.update(place, change, epsilon)
            if vector is not None:
                every = max(1, vector.size // _SEARCHED)
                rest = (vector - change.update)[::every] / (change.allowed or 1.0)
                total += float(np.sum(rest[np.isfinite(rest)] ** 2))
    return total


def _told(facts: dict[str, object], fitted: float) -> float:
    """The epsilon a script says, if it is about that which was fitted (or that was too small to be seen)."""
    number = facts.get("epsilon")
    if isinstance(number, int | float) and not isinstance(number, bool):
        if number <= 2 * fitted or fitted == 0:
            return float(number)
    return fitted


def _recognise(evidence: Evidence) -> Diagnosis | None:
    updates = updates_of(evidence)
    fit = updates.fit
    if fit is None or not fit.rule.has_epsilon or updates.first is None:
        return None
    epsilon = searched(lambda tried: _left(updates, fit, tried))
    part = updates.part(lambda place, change: fit.update(place, change, epsilon))
    if part < ENOUGH:
        return None
    mine = _told(evidence.facts.optimizer, fit.epsilon)
    its = _told(evidence.migrated_facts.optimizer, epsilon)
    return Diagnosis(
        "epsilon",
        f"From the same gradients and slots the updates are those of {fit.rule.name} with an epsilon of about "
        f"{rounded(its)}; the original's is about {rounded(mine)}.",
        "Give the optimizer the original's epsilon (TF1: Adam 1e-8, RMSProp 1e-10; Keras: 1e-7).",
        updates.first,
        part,
    )


EPSILON = Mistake(("epsilon",), "update", _recognise)
