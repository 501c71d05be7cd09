"""Mistakes made after equal gradients: the learning rate, moving averages of variables, statistics of batch norms.

- If every update is a multiple of the original's: the same multiple in all steps means another learning rate, different
  multiples mean another schedule.
- `tf.train.ExponentialMovingAverage.apply`: shadow -= (1 - decay) * (shadow - variable), after the update where the
  trainer asks for that, decay = min(decay, (1 + n) / (10 + n)) with `num_updates`. Recognised by fitting the decay to
  each side's own variables, with those after and those before the update.
- Batch norm: moving = decay * moving + (1 - decay) * batch, once for each tower whose UPDATE_OPS the trainer runs (the
  last or the first tower's, or all in turn); a distributed layer takes the mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.report.paths import listed
from tf2towers.verify.diagnose.evidence import (
    ENOUGH,
    EQUAL,
    ROUNDING,
    SHADOW,
    Evidence,
    Explained,
    Mistake,
    Pair,
    View,
    fitted,
    largest,
    rounded,
    scaled,
)

_SAME_RATE = 5e-3

# -- the learning rate -------------------------------------------------------------------------------------------------


def _allowed_change(pair: Pair, name: str) -> float:
    original, migrated = pair.original, pair.migrated
    weights = largest(original.after[name], migrated.after[name])
    return 10 * EQUAL * largest(original.changes[name], migrated.changes[name]) + ROUNDING * weights


def _learning_rate(evidence: Evidence) -> Diagnosis | None:
    explained, ratios, first = Explained(), {}, None
    for pair in evidence.comparable:
        expected, actual = pair.original.changes, pair.migrated.changes
        names = [name for name in pair.expected if name in pair.actual and pair.same_start(name)]
        allowed = [_allowed_change(pair, name) for name in names]
        ratio = fitted(
            scaled((expected[name] for name in names), allowed),
            scaled((actual[name] for name in names), allowed),
        )
        if ratio is None or pair.differing:
            continue
        ratios[pair.index] = ratio
        for name, limit in zip(names, allowed, strict=True):
            explained.add(actual[name], ratio * expected[name], expected[name], limit)
            if first is None and largest(expected[name] - actual[name]) > limit:
                first = pair.index
    if first is None or not explained.part:
        return None
    middle = float(np.median(list(ratios.values())))
    if all(abs(ratio - middle) <= 2 * _SAME_RATE * abs(middle) for ratio in ratios.values()):
        name, message = (
            "learning rate",
            f"Every update is {rounded(middle)} times what the original makes of the same gradient.",
        )
        todo = "Give the optimizer the original's learning rate, and apply the averaged gradient once."
    else:
        name = "learning-rate schedule"
        message = (
            f"From step {first} on the updates are other multiples of the original's, {rounded(ratios[first])} times "
            "at first, though the gradients are equal."
        )
        todo = "Make the schedule from the original's boundaries, decay and staircase, on the same counter of steps."
    return Diagnosis(name, message, todo, first, explained.part)


# -- moving averages of variables --------------------------------------------------------------------------------------


class _Average(NamedTuple):
    """How an average is updated: the weight of the variable (1 - decay), and whether before or after the step."""

    taken: float
    when: str


def _gap(view: View, name: str, when: str) -> np.ndarray:
    variables = view.after if when == "after" else view.before
    return variables[name.removesuffix(SHADOW)] - view.before[name]


def _allowed(view: View, name: str, made: np.ndarray) -> float:
    return 10 * EQUAL * largest(made) + ROUNDING * largest(view.before[name], view.after[name])


def _fit(view: View, names: list[str]) -> _Average | None:
    """The update rule that fits a side's averages best; None where no rule fits well enough."""
    best: tuple[float, _Average] | None = None
    allowed = [_allowed(view, name, view.changes[name]) for name in names]
    moved = scaled((view.changes[name] for name in names), allowed)
    for when in ("after", "before"):
        gap = scaled((_gap(view, name, when) for name in names), allowed)
        taken = fitted(gap, moved) or 0.0
        left = largest(moved - taken * gap)
        if left <= 1.0 and -1e-6 <= taken <= 1.0 + 1e-6 and (best is None or left < best[0]):
            best = (left, _Average(taken, when))
    return None if best is None else best[1]


def _moving_average(evidence: Evidence) -> Diagnosis | None:
    explained, first, rules = Explained(), None, None
    for pair in evidence.pairs:
        sides = pair.original, pair.migrated
        names = [
            name
            for name in pair.original.before
            if name.endswith(SHADOW)
            and all(each in view.changes for view in sides for each in (name, name.removesuffix(SHADOW)))
        ]
        rule, other_rule = (_fit(view, names) if names else None for view in sides)
        if rule is None or other_rule is None:
            continue
        for name in names:
            actual = pair.migrated.changes[name]
            expected = rule.taken * _gap(pair.migrated, name, rule.when)
            assumed = other_rule.taken * _gap(pair.migrated, name, other_rule.when)
            allowed = _allowed(pair.migrated, name, expected) + 10 * EQUAL * largest(actual)
            explained.add(actual, assumed, expected, allowed)
            if largest(actual - expected) > allowed:
                first = pair.index if first is None else first
                rules = rule, other_rule
    words = _average_words(*rules) if rules is not None else ""
    if first is None or not words or explained.part < ENOUGH:
        return None
    return Diagnosis(
        "moving average",
        f"The moving averages of variables {words}.",
        "Update them once a step, after the variables or before as the original does, with its decay and num_updates.",
        first,
        explained.part,
    )


def _average_words(original: _Average, migrated: _Average) -> str:
    if migrated.taken < 1e-7:
        return "do not move"
    when = f"take the variables of {migrated.when} the update, the original's those of {original.when} it"
    if abs(original.taken - migrated.taken) > 5e-3 * max(original.taken, migrated.taken):
        decays = f"have a decay of {1 - migrated.taken:.6g}, the original's {1 - original.taken:.6g}"
        return decays if original.when == migrated.when else f"{decays}, and {when}"
    return "" if original.when == migrated.when else when


# -- statistics of batch norms -----------------------------------------------------------------------------------------

_WORDS = ("moving_mean", "moving_var", "running_mean", "running_var", "pop_mean", "pop_var")


class _Change(NamedTuple):
    """The change of a statistic on both sides in a step, and the difference that is allowed."""

    step: int
    name: str
    expected: np.ndarray
    actual: np.ndarray
    allowed: float


def _statistics(evidence: Evidence) -> Diagnosis | None:
    found = []
    for pair in evidence.comparable:
        for name in pair.original.before:
            if any(word in name for word in _WORDS) and not name.endswith(SHADOW) and pair.same_start(name):
                original, migrated = pair.original, pair.migrated
                moved = largest(original.changes[name], migrated.changes[name])
                allowed = 10 * EQUAL * moved + 2 * ROUNDING * largest(
                    original.after[name], migrated.after[name]
                )
                found.append(
                    _Change(pair.index, name, original.changes[name], migrated.changes[name], allowed)
                )
    differing = [each for each in found if largest(each.expected - each.actual) > each.allowed]
    if not differing:
        return None
    names = sorted({each.name for each in differing})
    found = [each for each in found if each.name in names]
    seen, part = "each side keeps those of another tower, of all in turn, or their mean", 0.5
    for side, title in (("actual", "the migrated run"), ("expected", "the original")):
        if not largest(*(getattr(each, side) for each in found)):
            seen, part = f"{title} never updates them", 1.0
    limits = [each.allowed for each in found]
    changes = scaled((each.expected for each in found), limits)
    factor = fitted(changes, scaled((each.actual for each in found), limits))
    if factor is not None and changes.size >= 3 and factor > 0:
        explained = Explained()
        for each in found:
            explained.add(each.actual, factor * each.expected, each.expected, each.allowed)
        if explained.part:
            seen, part = f"another decay: 1 - decay is {factor:.4g} times the original's", explained.part
    return Diagnosis(
        "batch-norm policy",
        f"The batch-norm statistics differ ({listed(names)}) though the gradients agree: {seen}.",
        "Keep the statistics of the same tower as the original (UPDATE_OPS of its scope), with its decay.",
        differing[0].step,
        part,
    )


LEARNING_RATE = Mistake(("learning rate", "learning-rate schedule"), "update", _learning_rate)
MOVING_AVERAGE = Mistake(("moving average",), "moving average", _moving_average)
STATISTICS = Mistake(("batch-norm policy",), "statistics", _statistics)
