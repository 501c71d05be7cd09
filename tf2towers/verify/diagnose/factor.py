"""All applied gradients are a constant times the original's.

TF1's `average_gradients` (tutorials/image/cifar10_multi_gpu_train.py) takes the mean over N towers. A replica context
sums where nobody divides (`tf.distribute.ReduceOp.SUM`, Keras optimizers): factor N; who divides the loss and takes the
mean besides has 1/N (`tf.nn.compute_average_loss` with `ReduceOp.MEAN`). A loss that adds up the examples instead of
taking their mean has the batch size. Recognised by the median of the elements' ratios, of all variables and steps;
what is left after the scaling must vanish.
"""

from __future__ import annotations

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake
from tf2towers.verify.diagnose.numbers import EQUAL, joined, rounded

_NEAR = 2e-3  # of a ratio, to be that of a name


def _ratio(evidence: Evidence) -> float | None:
    found = []
    for pair in evidence.comparable:
        for name in evidence.names(pair):
            mine, its = pair.original.gradients[name], pair.migrated.gradients[name]
            finite = np.isfinite(mine) & np.isfinite(its)
            size = np.abs(np.where(finite, mine, 0.0))
            usable = finite & (size > 1e-2 * np.max(size, initial=0.0)) & (size > 100 * pair.noise)
            found.append(its[usable] / mine[usable])
    ratios = joined(found)
    return float(np.median(ratios)) if ratios.size else None


def _near(ratio: float, number: float) -> bool:
    return abs(ratio - number) <= _NEAR * abs(number)


def batch_sizes(evidence: Evidence) -> list[int]:
    """Numbers of examples: of a whole batch, of a tower's."""
    whole = [evidence.facts.batch_size or 0, evidence.migrated_facts.batch_size or 0]
    rows = [
        value.shape[0]
        for pair in evidence.pairs[:1]
        for value in pair.original.step.inputs.values()
        if value.ndim
    ]
    found = [number for number in (*whole, *rows) if number > 1]
    towers = evidence.towers
    found += [number * towers for number in rows] + [
        number // towers for number in found if number % towers == 0
    ]
    return [number for number in dict.fromkeys(found) if number > 1]


def _losses_scaled(evidence: Evidence, ratio: float) -> bool:
    values = [(pair.original.losses, pair.migrated.losses) for pair in evidence.comparable]
    values = [(mine, its) for mine, its in values if mine.size and mine.shape == its.shape]
    return bool(values) and all(np.allclose(its, ratio * mine, rtol=1e-3) for mine, its in values)


def _recognise(evidence: Evidence) -> Diagnosis | None:
    ratio = _ratio(evidence)
    if ratio is None or not np.isfinite(ratio) or abs(ratio - 1) <= EQUAL or ratio == 0:
        return None
    part = evidence.explained(lambda pair, name: ratio * pair.original.gradients[name])
    if not part:
        return None
    name, said, todo = _named(evidence, ratio)
    seen = f"All gradients are {rounded(ratio)} times the original's"
    if _losses_scaled(evidence, ratio):
        seen += ", and so are the losses"
    return Diagnosis(name, f"{seen}{said}.", todo, evidence.first_difference(), part)


def _named(evidence: Evidence, ratio: float) -> tuple[str, str, str]:
    """The name of a factor, what it says, what to do."""
    towers = evidence.towers
    if towers > 1 and _near(ratio, towers):
        return (
            "sum for mean",
            f": they are added up over the {towers} towers, not averaged",
            "Reduce with ReduceOp.MEAN, or divide each replica's loss by the number of replicas.",
        )
    if towers > 1 and _near(ratio, 1 / towers):
        return (
            "scaled twice",
            f": they are divided by the {towers} towers twice",
            "Divide once: either the loss of each replica, or the sum of the gradients (ReduceOp.MEAN).",
        )
    for size in batch_sizes(evidence):
        if _near(ratio, size) or _near(ratio, 1 / size):
            return (
                "batch-size factor",
                f": they {'are summed over' if ratio > 1 else 'are divided once more by'} {size} examples",
                "Take the mean over the same examples as the original's loss does.",
            )
    return (
        "other constant factor",
        ", in every variable and step",
        f"Look for a factor of {rounded(ratio)} (or a dropped one of {rounded(1 / ratio)}) in the loss or its "
        "reduction.",
    )


FACTOR = Mistake(
    ("sum for mean", "scaled twice", "batch-size factor", "other constant factor"), "gradients", _recognise
)
