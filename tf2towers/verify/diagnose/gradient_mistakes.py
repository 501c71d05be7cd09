"""Mistakes in the gradients that are applied: the sum for the mean, a tower left out, a regulariser, clipping.

With the original's tower gradients t_0 .. t_N-1, whose mean it applies:

- the sum is N times the mean, and a mean taken twice 1/N of it (`tf.distribute.ReduceOp.SUM`, a divided loss);
- one t_j alone: nothing averages; or t_j is missing from the sum or the mean;
- the gradient of c/2 * sum(w**2) is c*w (`tf.contrib.layers.l2_regularizer(c)`), that of c * sum(|w|) is c*sign(w):
  the gradients differ by one number times w or sign(w), in all steps;
- clipping the mean and clipping each tower's gradients before differ. The threshold is read from the side that clips
  the mean: what it has shortened has that size.

      norm     t * c / max(|t|, c), each variable separately        tf.clip_by_norm
      global   the same, with one norm for all variables together   tf.clip_by_global_norm
      value    min(max(t, -c), c), each element                     tf.clip_by_value
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.report.paths import listed
from tf2towers.verify.diagnose.evidence import EQUAL, Evidence, Gradients, Pair, Vectors, fitted, relative


def factor(evidence: Evidence) -> Diagnosis | None:
    """The sum over the towers for their mean, or the mean taken twice."""
    count, step = evidence.towers, evidence.first_difference
    if count < 2:
        return None
    if evidence.explained_by(lambda pair, name: count * pair.expected[name]):
        message = f"All gradients are {count} times the original's: the sum over the {count} towers, not their mean."
        todo = "Reduce with ReduceOp.MEAN, or divide each replica's loss by the number of replicas."
        return Diagnosis("sum for mean", message, todo, step)
    if evidence.explained_by(lambda pair, name: pair.expected[name] / count):
        message = (
            f"All gradients are 1/{count} of the original's: they are divided by the {count} towers twice."
        )
        todo = "Divide once: either the loss of each replica, or the sum of the gradients (ReduceOp.MEAN)."
        return Diagnosis("scaled twice", message, todo, step)
    return None


# -- a tower that is left out ------------------------------------------------------------------------------------------


def _made(pair: Pair, name: str, count: int, tower: int, of: str) -> np.ndarray | None:
    """The gradient of a variable: one tower's 'alone', or the 'sum' or 'mean' of the others', by the towers' number."""
    towers = [each.vectors[name] for each in pair.original.towers if name in each.vectors]
    applied = pair.expected[name]
    if len(towers) != count or any(each.shape != applied.shape for each in towers):
        return None
    total = np.sum(towers, axis=0)
    if relative(total / count, applied) > EQUAL and relative(total, applied) <= EQUAL:
        towers = [count * each for each in towers]  # the losses were divided, and the gradients summed
    if of == "alone":
        return towers[tower]
    return np.asarray((np.sum(towers, axis=0) - towers[tower]) / (count - (of == "mean")))


def tower_choice(evidence: Evidence) -> Diagnosis | None:
    """One tower's gradient alone, or the sum or the mean of all but one."""
    count, step = evidence.towers, evidence.first_difference
    for of, tower in itertools.product(("alone", "sum", "mean"), range(count)):
        if count < 2 or not evidence.explained_by(partial(_made, count=count, tower=tower, of=of)):
            continue
        if of != "alone":
            how = f"the sum of the others by {count}" if of == "sum" else "the mean of the others"
            message = f"Tower {tower} is missing from the applied gradient, which is {how}."
            return Diagnosis(
                "skipped tower", message, "Take the gradients of all replicas into the mean.", step
            )
        besides = f"; leaving out tower {1 - tower} would give the same" if count == 2 else ""
        message = (
            f"The applied gradient is tower {tower}'s own: those of the others are not averaged in, or every replica "
            f"works on its data{besides}."
        )
        todo = (
            "Reduce the gradients over the replicas (ReduceOp.MEAN), and give each its own part of the batch."
        )
        return Diagnosis("no averaging", message, todo, step)
    return None


# -- a regulariser that one side has and the other does not ------------------------------------------------------------

_PENALTIES: dict[str, Callable[[np.ndarray], np.ndarray]] = {"L2": lambda weights: weights, "L1": np.sign}


def regulariser(evidence: Evidence) -> Diagnosis | None:
    """A multiple of w or sign(w), in all gradients that differ."""
    found: dict[str, tuple[str, float]] = {}
    for name in sorted({name for pair in evidence.pairs for name in pair.differing}):
        pairs = [pair for pair in evidence.pairs if name in pair.names and name in pair.original.before]
        pairs = [pair for pair in pairs if pair.original.before[name].shape == pair.expected[name].shape]
        for kind, penalty in _PENALTIES.items():
            penalties = [penalty(pair.original.before[name]) for pair in pairs]
            rate = fitted(penalties, [pair.expected[name] - pair.actual[name] for pair in pairs])
            made = [pair.expected[name] - rate * each for pair, each in zip(pairs, penalties, strict=True)]
            if rate and all(
                pair.is_near(name, pair.actual[name], each) for pair, each in zip(pairs, made, strict=True)
            ):
                found[name] = kind, rate
                break
        else:
            return None
    if len({rate > 0 for _, rate in found.values()}) != 1:
        return None
    missing = min(rate for _, rate in found.values()) > 0
    sizes = sorted(abs(rate) for _, rate in found.values())
    rates = " to ".join(dict.fromkeys(f"{size:.3g}" for size in (sizes[0], sizes[-1])))
    kinds = sorted({kind for kind, _ in found.values()})
    shape = " or ".join("w" if kind == "L2" else "sign(w)" for kind in reversed(kinds))
    message = (
        f"The gradients of {listed(list(found))} {'lack' if missing else 'have also'} {rates} * {shape}, that of an "
        f"{' and '.join(kinds)} regulariser; the other gradients are equal."
    )
    name = "missing regulariser" if missing else "regulariser added"
    todo = "Add the original's regularisation losses to each replica's loss, once and with the same factor."
    return Diagnosis(name, message, todo, evidence.first_difference)


# -- clipping at another place of the step, or on one side only --------------------------------------------------------

_CALLS = {"norm": "clip_by_norm", "global": "clip_by_global_norm", "value": "clip_by_value"}
_CLIPPED = 1 + 10 * EQUAL  # a gradient of more than so many thresholds counts as clipped
_TODO = {
    "clipping order": "Clip {} averaging, as the original does.",
    "missing clipping": "Clip the gradients as the original does, at the same place.",
    "clipping added": "Take the clipping out (see also clipnorm, clipvalue and global_clipnorm of a Keras optimizer).",
}


def clipping(evidence: Evidence) -> Diagnosis | None:
    """One side clips the mean of the towers' gradients; the other clips each tower's before, or does not clip."""
    pairs, count = evidence.pairs, evidence.towers
    names = pairs[0].names if pairs else []
    if any(
        len(pair.original.towers) != count or not set(names) <= set(pair.original.mean.vectors)
        for pair in pairs
    ):
        return None
    towers, means = [pair.original.towers for pair in pairs], [[pair.original.mean] for pair in pairs]
    sides = [pair.original.gradients for pair in pairs], [pair.migrated.gradients for pair in pairs]
    for form, (of_original, (clips, other)) in itertools.product(_CALLS, enumerate((sides, sides[::-1]))):
        units = [names] if form == "global" else [[name] for name in names]
        # the largest that it applies has been cut to the threshold, if it clips
        threshold = max((each.size(form, unit) for each in clips for unit in units), default=0.0)
        cut = [mean.size(form, unit) > _CLIPPED * threshold for (mean,) in means for unit in units]
        if sum(cut) < 2:  # of one gradient, a constant factor would fit as well
            continue
        after = [_clipped(form, threshold, given, units) for given in means]
        before = [_clipped(form, threshold, given, units) for given in towers]
        never = [mean.vectors for (mean,) in means]
        if not _applies(pairs, clips, after):
            continue
        each_tower = _applies(pairs, other, before)
        if each_tower or _applies(pairs, other, never):
            missing, place = ("clipping added", "before") if of_original else ("missing clipping", "after")
            name = "clipping order" if each_tower else missing
            words = f"clips ({_CALLS[form]}, {threshold:.3g}) what was averaged"
            others = "clips each tower's gradients, then averages" if each_tower else "does not"
            first, second = (others, words) if of_original else (words, others)
            message = f"The original {first}; the migrated script {second}."
            return Diagnosis(name, message, _TODO[name].format(place), evidence.first_difference)
    return None


def _applies(pairs: Sequence[Pair], side: Sequence[Gradients], made: Sequence[Vectors]) -> bool:
    """True if these are, within rounding, the gradients that a side applies in every step."""
    return all(
        pair.is_near(name, applied.vectors[name], vectors[name])
        for pair, applied, vectors in zip(pairs, side, made, strict=True)
        for name in pairs[0].names
    )


def _clipped(
    form: str, threshold: float, given: Sequence[Gradients], units: Sequence[Sequence[str]]
) -> Vectors:
    """The mean of gradients that are clipped first, each unit of variables together."""
    made: Vectors = {}
    for unit in units:
        sizes = [gradients.size(form, unit) for gradients in given]
        for name in unit:
            vectors = [gradients.vectors[name] for gradients in given]
            if form == "value":
                vectors = [np.clip(vector, -threshold, threshold) for vector in vectors]
            else:
                cuts = [threshold / max(size, threshold) for size in sizes]
                vectors = [vector * cut for vector, cut in zip(vectors, cuts, strict=True)]
            made[name] = np.mean(vectors, axis=0)
    return made
