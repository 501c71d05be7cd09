"""Mistakes in what a step makes of equal gradients: the learning rate, moving averages of variables and of batch norms.

- Every update is a multiple of the original's: one multiple in all steps is another learning rate, multiples that
  change from step to step are another schedule.
- `tf.train.ExponentialMovingAverage.apply`: shadow -= (1 - decay) * (shadow - variable), after the update where the
  trainer asks for that, decay = min(decay, (1 + n) / (10 + n)) with `num_updates`. Recognised by fitting the decay to
  each side's own variables, of after and of before the update.
- Batch norm: moving = decay * moving + (1 - decay) * batch, once for each tower whose UPDATE_OPS the trainer runs (the
  last or the first tower's, or all in turn); a distributed layer takes the mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import SHADOW, Evidence, Mistake, Pair, View
from tf2towers.verify.diagnose.numbers import (
    ENOUGH,
    EQUAL,
    ROUNDING,
    Explained,
    fitted,
    largest,
    listed,
    relative,
    rounded,
    scaled,
)

_SAME_RATE = 5e-3

# -- the learning rate -------------------------------------------------------------------------------------------------


def _moved(pair: Pair) -> list[str]:
    """The variables that a step updates on both sides, from one value by one gradient."""
    mine, its = pair.original, pair.migrated
    return [
        name
        for name in mine.gradients
        if name in its.gradients
        and name not in pair.differing
        and mine.change(name) is not None
        and its.change(name) is not None
        and relative(mine.before[name], its.before[name]) <= ROUNDING
    ]


def _off(pair: Pair, name: str) -> float:
    weights = largest(pair.original.after[name], pair.migrated.after[name])
    return 10 * EQUAL * largest(pair.original.moved(name), pair.migrated.moved(name)) + ROUNDING * weights


def _learning_rate(evidence: Evidence) -> Diagnosis | None:
    explained, ratios, first = Explained(), {}, None
    for pair in evidence.comparable:
        names = _moved(pair)
        allowed = [_off(pair, name) for name in names]
        expected = scaled(map(pair.original.moved, names), allowed)
        found = fitted([expected], scaled(map(pair.migrated.moved, names), allowed)) if names else None
        if found is None or pair.differing:
            continue
        ratio = ratios[pair.index] = float(found[0])
        for name, off in zip(names, allowed, strict=True):
            moved, its = pair.original.moved(name), pair.migrated.moved(name)
            explained.add(its, ratio * moved, moved, off)
            if first is None and largest(moved - its) > off:
                first = pair.index
    if first is None or not explained.part:
        return None
    known = list(ratios.values())
    middle = float(np.median(known))
    if all(abs(ratio - middle) <= 2 * _SAME_RATE * abs(middle) for ratio in known):
        return Diagnosis(
            "learning rate",
            f"Every update is {rounded(middle)} times what the original makes of the same gradient.",
            "Give the optimizer the original's learning rate, and apply the averaged gradient once.",
            first,
            explained.part,
        )
    return Diagnosis(
        "learning-rate schedule",
        f"From step {first} on the updates are other multiples of the original's, {rounded(ratios[first])} times at "
        "first, though the gradients are equal.",
        "Make the schedule from the original's boundaries, decay and staircase, on the same counter of steps.",
        first,
        explained.part,
    )


# -- moving averages of variables --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Average:
    """A step's rule: the part taken of the variable (1 - decay), and when."""

    taken: float
    when: str


def _averages(pair: Pair) -> list[str]:
    return [
        name
        for name in pair.original.before
        if name.endswith(SHADOW)
        and all(
            pair.original.change(variable) is not None and pair.migrated.change(variable) is not None
            for variable in (name, _averaged_variable(name))
        )
    ]


def _averaged_variable(name: str) -> str:
    return name.removesuffix(SHADOW)


def _gap(view: View, name: str, when: str) -> np.ndarray:
    variables = view.after if when == "after" else view.before
    return variables[_averaged_variable(name)] - view.before[name]


def _allowed(view: View, name: str, made: np.ndarray) -> float:
    return 10 * EQUAL * largest(made) + ROUNDING * largest(view.before[name], view.after[name])


def _fit(view: View, names: list[str]) -> _Average | None:
    best: tuple[float, _Average] | None = None
    allowed = [_allowed(view, name, view.moved(name)) for name in names]
    moved = scaled(map(view.moved, names), allowed)
    for when in ("after", "before"):
        gap = scaled((_gap(view, name, when) for name in names), allowed)
        found = fitted([gap], moved)
        taken = 0.0 if found is None else float(found[0])
        left = largest(moved - taken * gap)
        if left <= 1.0 and -1e-6 <= taken <= 1.0 + 1e-6 and (best is None or left < best[0]):
            best = (left, _Average(taken, when))
    return None if best is None else best[1]


def _moving_average(evidence: Evidence) -> Diagnosis | None:
    explained, first, rules = Explained(), None, []
    for pair in evidence.pairs:
        names = _averages(pair)
        if not names:
            continue
        mine, theirs = _fit(pair.original, names), _fit(pair.migrated, names)
        if mine is None or theirs is None:
            continue
        for name in names:
            actual = pair.migrated.moved(name)
            expected = mine.taken * _gap(pair.migrated, name, mine.when)
            assumed = theirs.taken * _gap(pair.migrated, name, theirs.when)
            allowed = _allowed(pair.migrated, name, expected) + 10 * EQUAL * largest(actual)
            explained.add(actual, assumed, expected, allowed)
            if largest(actual - expected) > allowed:
                first = pair.index if first is None else first
                rules.append((mine, theirs))
    if first is None or explained.part < ENOUGH:
        return None
    mine, theirs = rules[-1]
    if theirs.taken < 1e-7:
        what = "do not move"
    elif abs(mine.taken - theirs.taken) > 5e-3 * max(mine.taken, theirs.taken):
        what = f"have a decay of {1 - theirs.taken:.6g}, the original's {1 - mine.taken:.6g}"
        if mine.when != theirs.when:
            what += f", and take the variables of {theirs.when} the update, the original's those of {mine.when} it"
    elif mine.when != theirs.when:
        what = f"take the variables of {theirs.when} the update, the original's those of {mine.when} it"
    else:
        return None
    return Diagnosis(
        "moving average",
        f"The moving averages of variables {what}.",
        "Update them once a step, after the variables or before as the original does, with its decay and num_updates.",
        first,
        explained.part,
    )


# -- statistics of batch norms -----------------------------------------------------------------------------------------

_WORDS = ("moving_mean", "moving_var", "running_mean", "running_var", "pop_mean", "pop_var")
_TODO = "Keep the statistics of the same tower as the original (UPDATE_OPS of its scope), with its decay."


def _statistics_of(pair: Pair) -> list[str]:
    return [
        name
        for name in pair.original.before
        if any(word in name for word in _WORDS)
        and not name.endswith(SHADOW)
        and all(view.change(name) is not None for view in (pair.original, pair.migrated))
    ]


def _allowed_of(pair: Pair, name: str) -> float:
    views = (pair.original, pair.migrated)
    moved = largest(*(view.moved(name) for view in views))
    return 10 * EQUAL * moved + 2 * ROUNDING * largest(*(view.after[name] for view in views))


def _same_start(pair: Pair, name: str) -> bool:
    return relative(pair.original.before[name], pair.migrated.before[name]) <= ROUNDING


def _differing(evidence: Evidence) -> tuple[int, set[str]] | None:
    first, names = None, set()
    for pair in evidence.comparable:
        for name in _statistics_of(pair):
            if not _same_start(pair, name):
                continue
            if largest(pair.original.moved(name) - pair.migrated.moved(name)) > _allowed_of(pair, name):
                first = pair.index if first is None else first
                names.add(name)
    return None if first is None else (first, names)


def _statistics(evidence: Evidence) -> Diagnosis | None:
    found = _differing(evidence)
    if found is None:
        return None
    step, names = found
    taken = [
        (pair, name, pair.original.moved(name), pair.migrated.moved(name))
        for pair in evidence.comparable
        for name in _statistics_of(pair)
        if name in names and _same_start(pair, name)
    ]
    seen, part = "each side keeps those of another tower, of all in turn, or their mean", 0.5
    for moves, title in (
        ([its for *_, its in taken], "the migrated run"),
        ([mine for _, _, mine, _ in taken], "the original"),
    ):
        if not largest(*moves):
            seen, part = f"{title} never updates them", 1.0
    allowed = [_allowed_of(pair, name) for pair, name, _, _ in taken]
    moved = scaled((mine for _, _, mine, _ in taken), allowed)
    factor = fitted([moved], scaled((its for _, _, _, its in taken), allowed))
    if factor is not None and moved.size >= 3 and factor[0] > 0:
        explained = Explained()
        for pair, name, mine, its in taken:
            explained.add(its, factor[0] * mine, mine, _allowed_of(pair, name))
        if explained.part:
            seen, part = f"another decay: 1 - decay is {factor[0]:.4g} times the original's", explained.part
    return Diagnosis(
        "batch-norm policy",
        f"The batch-norm statistics differ ({listed(sorted(names))}) though the gradients agree: {seen}.",
        "Keep the statistics of the same tower as the original (UPDATE_OPS of its scope), with its decay.",
        step,
        part,
    )


LEARNING_RATE = Mistake(("learning rate", "learning-rate schedule"), "update", _learning_rate)
MOVING_AVERAGE = Mistake(("moving average",), "moving average", _moving_average)
STATISTICS = Mistake(("batch-norm policy",), "statistics", _statistics)
