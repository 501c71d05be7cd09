"""Mistakes made after equal gradients: the learning rate, moving averages of variables, statistics of batch norms.

- If every update is a multiple of the original's, the learning rate is another one.
- `tf.train.ExponentialMovingAverage.apply`: shadow -= (1 - decay) * (shadow - variable), after the update where the
  trainer asks for that, decay = min(decay, (1 + n) / (10 + n)) with `num_updates`. The decay of each side is fitted to
  its own variables, with those after and those before the update.
- Batch norm: moving = decay * moving + (1 - decay) * batch, once for each tower whose UPDATE_OPS the trainer runs (the
  last or the first tower's, or all in turn); a distributed layer takes the mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.report.paths import listed
from tf2towers.verify.diagnose.evidence import EQUAL, ROUNDING, Evidence, Pair, View, fitted, largest

_SHADOW = "/ExponentialMovingAverage"
_SAME_RATE = 5e-3  # of a rate: the precision with which it is fitted


def _changes(pair: Pair, name: str) -> tuple[np.ndarray, np.ndarray, float]:
    """How a step changed a variable on both sides, and the difference of these that counts as rounding."""
    expected, actual = pair.original.changes[name], pair.migrated.changes[name]
    value = largest(pair.original.after[name], pair.migrated.after[name])
    return expected, actual, 10 * EQUAL * largest(expected, actual) + 2 * ROUNDING * value


def _comparable(pair: Pair, name: str) -> bool:
    """True if both sides have a variable, with one shape, and began the step with the same value."""
    changes = pair.original.changes.get(name), pair.migrated.changes.get(name)
    return (
        changes[0] is not None
        and changes[1] is not None
        and changes[0].shape == changes[1].shape
        and (pair.same_start(name))
    )


def learning_rate(evidence: Evidence) -> Diagnosis | None:
    """Every update is one multiple of the original's; in some steps, it is another one than 1."""
    ratios: dict[int, float] = {}
    for pair in evidence.pairs:
        found = [_changes(pair, name) for name in pair.names if _comparable(pair, name)]
        scaled = [(expected / (off or 1.0), actual / (off or 1.0)) for expected, actual, off in found]
        ratio = fitted((expected for expected, _ in scaled), (actual for _, actual in scaled))
        if not ratio or pair.differing:
            continue
        if any(largest(actual - ratio * expected) > off for expected, actual, off in found):
            return None
        if any(largest(actual - expected) > off for expected, actual, off in found):
            ratios[pair.index] = ratio
    if not ratios:
        return None
    first, *others = dict.fromkeys(f"{ratio:.3g}" for ratio in ratios.values())
    more = f", later {listed(others)} times" if others else ""
    message = (
        f"From step {min(ratios)} on, updates are {first} times the original's, of equal gradients{more}."
    )
    todo = (
        "Give the optimizer the original's learning rate and schedule, and apply the averaged gradient once."
    )
    return Diagnosis("learning rate", message, todo, min(ratios))


# -- moving averages of variables --------------------------------------------------------------------------------------


class _Average(NamedTuple):
    """How an average is updated: the weight of the variable (1 - decay), and whether before or after the step."""

    taken: float
    when: str


def _fit(view: View, names: list[str]) -> _Average | None:
    """The update rule that a side's averages follow; None where none fits within rounding."""
    found = []
    for when in ("after", "before"):
        variables = view.after if when == "after" else view.before
        gaps = [variables[name.removesuffix(_SHADOW)] - view.before[name] for name in names]
        changes = [view.changes[name] for name in names]
        taken = fitted(gaps, changes)
        left = [largest(change - taken * gap) for change, gap in zip(changes, gaps, strict=True)]
        allowed = [
            10 * EQUAL * largest(view.changes[name]) + ROUNDING * largest(view.before[name], view.after[name])
            for name in names
        ]
        if all(rest <= most for rest, most in zip(left, allowed, strict=True)) and -1e-6 <= taken <= 1 + 1e-6:
            found.append((sum(left), _Average(taken, when)))
    return min(found, default=(0.0, None))[1]


def moving_average(evidence: Evidence) -> Diagnosis | None:
    """Averages with another decay than the original's, or of the variables before the update instead of after."""
    for pair in evidence.pairs:
        views = pair.original, pair.migrated
        names = [
            name
            for name in pair.original.before
            if name.endswith(_SHADOW)
            and all(each in view.changes for view in views for each in (name, name.removesuffix(_SHADOW)))
        ]
        rule, other = (_fit(view, names) if names else None for view in views)
        if rule is not None and other is not None and (words := _average_words(rule, other)):
            message = f"The moving averages of variables {words}."
            todo = (
                "Update them once a step, after the variables or before as the original does, with its decay and "
                "num_updates."
            )
            return Diagnosis("moving average", message, todo, pair.index)
    return None


def _average_words(original: _Average, migrated: _Average) -> str:
    if abs(original.taken - migrated.taken) <= _SAME_RATE * max(original.taken, migrated.taken):
        if original.when == migrated.when:
            return ""
        return f"take the variables of {migrated.when} the update, the original's those of {original.when} it"
    if migrated.taken < 1e-7:
        return "do not move"
    return f"have a decay of {1 - migrated.taken:.6g}, the original's {1 - original.taken:.6g}"


# -- statistics of batch norms -----------------------------------------------------------------------------------------

_WORDS = ("moving_mean", "moving_var", "running_mean", "running_var", "pop_mean", "pop_var")


def statistics(evidence: Evidence) -> Diagnosis | None:
    """Moving means and variances that differ though all gradients agree."""
    found = [
        (pair.index, name, *_changes(pair, name))
        for pair in evidence.pairs
        for name in pair.original.before
        if any(word in name for word in _WORDS) and not name.endswith(_SHADOW) and _comparable(pair, name)
    ]
    names = {name for _, name, expected, actual, off in found if largest(expected - actual) > off}
    if not names:
        return None
    found = [each for each in found if each[1] in names]
    rate = fitted((expected for _, _, expected, _, _ in found), (actual for _, _, _, actual, _ in found))
    if not largest(*(actual for _, _, _, actual, _ in found)):
        seen = "the migrated script never updates them"
    elif not largest(*(expected for _, _, expected, _, _ in found)):
        seen = "the original never updates them"
    elif all(largest(actual - rate * expected) <= off for _, _, expected, actual, off in found):
        seen = f"another decay: 1 - decay is {rate:.4g} times the original's"
    else:
        seen = "each side keeps those of another tower, of all in turn, or their mean"
    return Diagnosis(
        "batch-norm policy",
        f"The batch-norm statistics differ ({listed(sorted(names))}) though the gradients agree: {seen}.",
        "Keep the statistics of the same tower as the original (UPDATE_OPS of its scope), with its decay.",
        next(step for step, _, expected, actual, off in found if largest(expected - actual) > off),
    )
