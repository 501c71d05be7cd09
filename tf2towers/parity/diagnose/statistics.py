"""Batch-norm statistics are another tower's, or move by another decay.

`moving = decay * moving + (1 - decay) * batch`, once for each tower whose UPDATE_OPS the trainer runs
(`tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)`: the last or the first tower's, or all in turn); a distributed
layer takes the mean. Recognised, where gradients agree, by elements (never updated, other decay: one multiple in all of
them), or by the towers' own means, which the digests of the layers hold: a digest's sum by its number of elements is
the mean over the channels of what the next normalisation averages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tf2towers.parity.diagnose.evidence import SHADOW, Evidence, Mistake, Pair, View
from tf2towers.parity.diagnose.numbers import (
    EQUAL,
    ROUNDING,
    Explained,
    fitted,
    largest,
    least,
    listed,
    relative,
    scaled,
)
from tf2towers.report.parity_result import Diagnosis

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


@dataclass(frozen=True)
class _Policy:
    name: str
    decay: float
    left: float  # the greatest error, by what it may be


def _mean_of(name: str) -> Callable[[np.ndarray], np.ndarray]:
    places = {"the last tower's": -1, "the first tower's": 0}
    if name in places:
        return lambda towers: np.asarray(towers[:, places[name]])
    return lambda towers: np.asarray(towers.mean(axis=1))


_LINEAR = ("the last tower's", "the first tower's", "the mean of the towers'")
_IN_TURN = "all towers', one after the other"


def _policies(before: np.ndarray, after: np.ndarray, towers: np.ndarray) -> list[_Policy]:
    """The policies that make `after` of `before`; arrays of [steps], `towers` of [steps, towers]."""
    allowed = 50 * EQUAL * largest(after - before) + ROUNDING * largest(before, after, towers)
    found = []
    for name in _LINEAR:
        mean = _mean_of(name)(towers)
        factor = fitted([mean - before], after - before)
        if factor is not None and 0 < factor[0] < 1:
            left = largest(after - before - factor[0] * (mean - before))
            found.append(_Policy(name, 1 - float(factor[0]), left / (allowed or 1.0)))

    def in_turn(decay: float) -> float:
        value = before
        for tower in range(towers.shape[1]):
            value = decay * value + (1 - decay) * towers[:, tower]
        return largest(after - value)

    taken = least(lambda part: in_turn(1 - part), 1e-5, 0.9, points=25, rounds=8)
    found.append(_Policy(_IN_TURN, 1 - taken, in_turn(1 - taken) / (allowed or 1.0)))
    return [policy for policy in found if policy.left <= 1.0]


def _by_digests(evidence: Evidence, names: set[str]) -> tuple[_Policy, _Policy] | None:
    """The two sides' policies, by the majority of the normalisations."""
    votes: Counter[tuple[str, str]] = Counter()
    example: dict[tuple[str, str], tuple[float, _Policy, _Policy]] = {}
    pairs = [pair for pair in evidence.comparable if len(pair.original.step.layers) == evidence.towers]
    if len(pairs) < 2:
        return None
    layers = [
        layer
        for layer, digest in pairs[0].original.step.layers[0].items()
        if digest.size >= 5 and digest[4] > 0
    ]
    for name in names:
        if "mean" not in name.rpartition("/")[2] or any(name not in _names(pair) for pair in pairs):
            continue
        ends = [
            np.array([[view.before[name].mean(), view.after[name].mean()] for view in views])
            for views in ([pair.original for pair in pairs], [pair.migrated for pair in pairs])
        ]
        best: tuple[float, _Policy, _Policy] | None = None
        for layer in layers:
            digests = [[tower.get(layer) for tower in pair.original.step.layers] for pair in pairs]
            if any(digest is None or digest.size < 5 or not digest[4] for row in digests for digest in row):
                continue
            towers = np.array(
                [[digest[1] / digest[4] for digest in row if digest is not None] for row in digests]
            )
            own, its = (_policies(end[:, 0], end[:, 1], towers) for end in ends)
            for mine in own:
                for theirs in its:
                    if mine.name == theirs.name:
                        continue
                    # a policy that is right has the other side's decay too
                    left = mine.left + theirs.left + 10 * abs(mine.decay - theirs.decay)
                    if best is None or left < best[0]:
                        best = (left, mine, theirs)
        if best is not None:
            key = (best[1].name, best[2].name)
            votes[key] += 1
            if key not in example or best[0] < example[key][0]:
                example[key] = best
    if not votes:
        return None
    key = votes.most_common(1)[0][0]
    return example[key][1], example[key][2]


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
    policies = _by_digests(evidence, names) if evidence.towers > 1 else None
    if policies is not None:
        mine, its = policies
        return _said(f"the original keeps {mine.name}, the migrated run {its.name}", which, step, 0.95)
    if evidence.towers == 1:
        return _said(
            "with one tower, other statistics of the same batch (biased variance for unbiased?)",
            which,
            step,
            0.5,
        )
    return _said("whose statistics each side keeps cannot be told from what was recorded", which, step, 0.5)


def _said(seen: str, which: str, step: int, part: float = 1.0) -> Diagnosis:
    return Diagnosis(
        "batch-norm policy",
        f"The batch-norm statistics differ ({which}) though the gradients agree: {seen}.",
        _TODO,
        step,
        part,
    )


STATISTICS = Mistake(("batch-norm policy",), "statistics", _recognise)
