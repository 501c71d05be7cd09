"""Moving averages of variables are computed in another way.

`tf.train.ExponentialMovingAverage.apply`: shadow -= (1 - decay) * (shadow - variable), after the update where the
trainer asks for that (`with tf.control_dependencies([apply_gradient_op])`), decay = min(decay, (1 + n) / (10 + n)) with
`num_updates`. Recognised by fitting the decay to each side's own variables, of after and of before the update.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import SHADOW, Evidence, Mistake, Pair, View
from tf2towers.verify.diagnose.numbers import ENOUGH, EQUAL, ROUNDING, Explained, fitted, largest, scaled


@dataclass(frozen=True)
class _Average:
    """A step's rule: the part taken of the variable (1 - decay), and when."""

    taken: float
    when: str


def _names(pair: Pair) -> list[str]:
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


def _recognise(evidence: Evidence) -> Diagnosis | None:
    explained, first, rules = Explained(), None, []
    for pair in evidence.pairs:
        names = _names(pair)
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


MOVING_AVERAGE = Mistake(("moving average",), "moving average", _recognise)
