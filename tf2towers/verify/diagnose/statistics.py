"""Batch-norm statistics are another tower's, or move by another decay.

`moving = decay * moving + (1 - decay) * batch`, once for each tower whose UPDATE_OPS the trainer runs
(`tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)`: the last or the first tower's, or all in turn); a distributed
layer takes the mean. Recognised where gradients agree; named are those that are never updated, and another decay (one
multiple in all of them).
"""

from __future__ import annotations

from collections.abc import Callable

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import SHADOW, Evidence, Mistake, Pair, View
from tf2towers.verify.diagnose.numbers import (
    EQUAL,
    ROUNDING,
    Explained,
    fitted,
    largest,
    listed,
    relative,
    scaled,
)

_WORDS = ("moving_mean", "moving_var", "running_mean", "running_var", "pop_mean", "pop_var")
_TODO = "Keep the statistics of the same tower as the original (UPDATE_OPS of its scope), with its decay."


def _names(pair: Pair) -> list[str]:
    return [
        name
        for name in pair.original.before
        if any(word in name for word in _WORDS)
        and not name.endswith(SHADOW)
        and all(view.change(name) is not None for view in (pair.original, pair.migrated))
    ]


def _allowed(pair: Pair, name: str) -> float:
    views = (pair.original, pair.migrated)
    moved = largest(*(view.moved(name) for view in views))
    return 10 * EQUAL * moved + 2 * ROUNDING * largest(*(view.after[name] for view in views))


def _same_start(pair: Pair, name: str) -> bool:
    return relative(pair.original.before[name], pair.migrated.before[name]) <= ROUNDING


def _differing(evidence: Evidence) -> tuple[int, set[str]] | None:
    first, names = None, set()
    for pair in evidence.comparable:
        for name in _names(pair):
            if not _same_start(pair, name):
                continue
            if largest(pair.original.moved(name) - pair.migrated.moved(name)) > _allowed(pair, name):
                first = pair.index if first is None else first
                names.add(name)
    return None if first is None else (first, names)


def _never(evidence: Evidence, side: Callable[[Pair], View], names: set[str]) -> bool:
    found = [side(pair).moved(name) for pair in evidence.comparable for name in _names(pair) if name in names]
    return bool(found) and not any(map(largest, found))


def _one_multiple(evidence: Evidence, names: set[str]) -> tuple[float, float] | None:
    """(multiple of the original's change, part explained) where one multiple makes the migrated run's statistics."""
    taken = [
        (pair, name, pair.original.moved(name), pair.migrated.moved(name))
        for pair in evidence.comparable
        for name in _names(pair)
        if name in names and _same_start(pair, name)
    ]
    allowed = [_allowed(pair, name) for pair, name, _, _ in taken]
    moved = scaled((original for _, _, original, _ in taken), allowed)
    found = fitted([moved], scaled((migrated for _, _, _, migrated in taken), allowed))
    if found is None or moved.size < 3:
        return None
    explained = Explained()
    for pair, name, original, migrated in taken:
        explained.add(migrated, found[0] * original, original, _allowed(pair, name))
    return (float(found[0]), explained.part) if explained.part and found[0] > 0 else None


def _recognise(evidence: Evidence) -> Diagnosis | None:
    found = _differing(evidence)
    if found is None:
        return None
    step, names = found
    which = listed(sorted(names))
    if _never(evidence, lambda pair: pair.migrated, names):
        return _said("the migrated run never updates them", which, step)
    if _never(evidence, lambda pair: pair.original, names):
        return _said("the original never updates them", which, step)
    multiple = _one_multiple(evidence, names)
    if multiple is not None:
        factor, part = multiple
        seen = f"another decay: 1 - decay is {factor:.4g} times the original's"
        return _said(seen, which, step, part)
    if evidence.towers == 1:
        return _said(
            "with one tower, other statistics of the same batch (biased variance for unbiased?)",
            which,
            step,
            0.5,
        )
    return _said("each side keeps those of another tower, of all in turn, or their mean", which, step, 0.5)


def _said(seen: str, which: str, step: int, part: float = 1.0) -> Diagnosis:
    return Diagnosis(
        "batch-norm policy",
        f"The batch-norm statistics differ ({which}) though the gradients agree: {seen}.",
        _TODO,
        step,
        part,
    )


STATISTICS = Mistake(("batch-norm policy",), "statistics", _recognise)
