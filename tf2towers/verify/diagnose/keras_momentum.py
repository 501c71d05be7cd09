"""A rate that changes under Keras' momentum, which keeps the rate in its velocity.

TF1 (`MomentumOptimizer`, ApplyMomentum): a = mu * a + g, w -= lr * a. Keras (`SGD`): v = mu * v - lr * g, w += v. They
are the same as long as lr is; after a drop Keras goes on with the old rate's velocity for some 1 / (1 - mu) steps.
Recognised by the change u of the weights: Keras has u_k = mu * u_(k-1) - lr_k * g_k, TF1 has
mu * lr_k / lr_(k-1) in the place of mu. mu and the rates are the original's, from its slots and updates.
"""

from __future__ import annotations

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake
from tf2towers.verify.diagnose.numbers import ENOUGH, EQUAL, Explained, largest, rounded
from tf2towers.verify.diagnose.updates import MOMENTUM, updates_of


def _recognise(evidence: Evidence) -> Diagnosis | None:
    updates = updates_of(evidence)
    fit = updates.fit
    if fit is None or fit.rule is not MOMENTUM or updates.first is None:
        return None
    moves = updates.transition("original", 0)
    if moves is None or not 0 < moves.kept < 1:
        return None
    best, drop = 0.0, 0
    for follows_itself in (True, False):
        explained, changed = Explained(), None
        for place in range(1, len(updates.pairs)):
            rate, rate_before = fit.rate(place), fit.rate(place - 1)
            if (
                rate is None
                or rate_before is None
                or updates.pairs[place].index != updates.pairs[place - 1].index + 1
            ):
                continue
            if abs(rate / rate_before - 1) > 100 * EQUAL and changed is None:
                changed = place
            last = {change.name: change.update for change in updates.migrated[place - 1]}
            for change in updates.migrated[place]:
                if follows_itself:
                    velocity = last.get(change.name)
                else:  # in lockstep: its velocity was set to the original's accumulator
                    velocity = change.slots[0] if change.slots else None
                if velocity is None or velocity.shape != change.update.shape:
                    continue
                keras = moves.kept * velocity - rate * change.gradient
                of_tf1 = moves.kept * rate / rate_before if follows_itself else -moves.kept * rate
                tf1 = of_tf1 * velocity - rate * change.gradient
                # the last step's update is rounded as well
                explained.add(change.update, keras, tf1, 2 * change.allowed + 10 * EQUAL * largest(keras))
        if changed is not None and explained.part > best:
            best, drop = explained.part, changed
    if best < ENOUGH:
        return None
    old, new = fit.rate(drop - 1), fit.rate(drop)
    assert old is not None and new is not None
    return Diagnosis(
        "learning-rate drop with momentum",
        f"The rate goes from {rounded(old)} to {rounded(new)} at step {updates.pairs[drop].index}, and the "
        f"migrated run's updates go on with the old rate's velocity (momentum {rounded(moves.kept)}): Keras keeps the "
        "rate in it, TF1 does not.",
        "Multiply Keras' velocity by the new rate over the old one at the change, or use tf.compat.v1's "
        "MomentumOptimizer.",
        updates.pairs[drop].index,
        best,
    )


KERAS_MOMENTUM = Mistake(("learning-rate drop with momentum",), "update", _recognise)
