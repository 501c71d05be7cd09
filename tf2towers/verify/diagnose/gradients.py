"""Mistakes in the gradients that are applied: a factor, a tower left out, a lost regulariser, another clipping.

- A replica context sums where nothing divides (`tf.distribute.ReduceOp.SUM`, Keras optimizers): the result is N times
  the mean of N towers, which TF1's `average_gradients` takes. Dividing the loss and also taking the mean makes it 1/N
  of it. Recognised by the median ratio of elements, over all variables and steps; scaled by it, nothing may differ.
- With N towers' gradients t_0 .. t_N-1 of the original, the migrated's is one t_j (nothing averages), or one of them is
  missing from the sum or the mean. Recognised by trying each.
- The gradient of c/2 * sum(w**2) is c*w (`tf.contrib.layers.l2_regularizer(c)`; Keras' `L2(c)` has 2*c*w), that of
  c * sum(|w|) is c*sign(w). Recognised for each variable: the difference of the gradients is one number times w or
  sign(w), in all steps, and the other variables' gradients are equal.
- TF1 trainers clip the averaged gradients (`tf.clip_by_global_norm(zip(*average_gradients(..)))`) or each tower's
  before averaging; the two differ. Every way of clipping is tried on the towers' gradients, with the threshold that
  comes closest to the applied gradients.

      norm     t * c / max(|t|, c), each variable separately        tf.clip_by_norm
      global   the same, with one norm for all variables together   tf.clip_by_global_norm
      value    min(max(t, -c), c), each element                     tf.clip_by_value
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.report.paths import listed
from tf2towers.verify.diagnose.evidence import (
    ENOUGH,
    EQUAL,
    Evidence,
    Explained,
    Gradients,
    Mistake,
    Pair,
    Vectors,
    fitted,
    joined,
    largest,
    relative,
    rounded,
)

_NEAR = 2e-3  # the tolerance with which a ratio must match 1/N or N

# -- a constant factor -------------------------------------------------------------------------------------------------


def _ratio(evidence: Evidence) -> float | None:
    found = []
    for pair in evidence.comparable:
        for name in pair.names:
            expected, actual = pair.expected[name], pair.actual[name]
            finite = np.isfinite(expected) & np.isfinite(actual)
            size = np.abs(np.where(finite, expected, 0.0))
            usable = finite & (size > 1e-2 * np.max(size, initial=0.0)) & (size > 100 * pair.noise)
            found.append(actual[usable] / expected[usable])
    ratios = joined(found)
    return float(np.median(ratios)) if ratios.size else None


def _losses_scaled(evidence: Evidence, ratio: float) -> bool:
    values = [(pair.original.losses, pair.migrated.losses) for pair in evidence.comparable]
    values = [(left, right) for left, right in values if left.size and left.shape == right.shape]
    return bool(values) and all(np.allclose(right, ratio * left, rtol=1e-3) for left, right in values)


def _factor(evidence: Evidence) -> Diagnosis | None:
    ratio = _ratio(evidence)
    if ratio is None or not np.isfinite(ratio) or abs(ratio - 1) <= EQUAL or ratio == 0:
        return None
    part = evidence.explained(lambda pair, name: ratio * pair.expected[name])
    if not part:
        return None
    towers = evidence.towers
    if towers > 1 and abs(ratio - towers) <= _NEAR * towers:
        name, more = "sum for mean", f": they are added up over the {towers} towers, not averaged"
        todo = "Reduce with ReduceOp.MEAN, or divide each replica's loss by the number of replicas."
    elif towers > 1 and abs(ratio * towers - 1) <= _NEAR:
        name, more = "scaled twice", f": they are divided by the {towers} towers twice"
        todo = "Divide once: either the loss of each replica, or the sum of the gradients (ReduceOp.MEAN)."
    else:
        name, more = "other constant factor", ", in every variable and step"
        todo = f"Look for a factor of {rounded(ratio)} (or one of {rounded(1 / ratio)} that is missing) in the loss."
    seen = f"All gradients are {rounded(ratio)} times the original's"
    if _losses_scaled(evidence, ratio):
        seen += ", and so are the losses"
    return Diagnosis(name, f"{seen}{more}.", todo, evidence.first_difference(), part)


# -- a tower that is left out ------------------------------------------------------------------------------------------


def _towers(evidence: Evidence, pair: Pair, name: str) -> list[np.ndarray] | None:
    """The original's tower gradients of a variable, scaled so that their mean is the gradient that it applied."""
    towers = [tower.vectors[name] for tower in pair.original.towers if name in tower.vectors]
    applied = pair.expected[name]
    if len(towers) != evidence.towers or any(tower.shape != applied.shape for tower in towers):
        return None
    total = np.sum(towers, axis=0)
    if relative(total / len(towers), applied) > EQUAL and relative(total, applied) <= EQUAL:
        return [len(towers) * tower for tower in towers]  # the losses were divided, and the gradients summed
    return towers


def _explained(evidence: Evidence, of: str, tower: int) -> float:
    """The part explained by one tower's gradient alone, or by the sum or the mean of the other towers' gradients."""

    def assumed(pair: Pair, name: str) -> np.ndarray | None:
        towers = _towers(evidence, pair, name)
        if towers is None or of == "tower":
            return None if towers is None else towers[tower]
        count = len(towers) - (of == "mean")
        return np.asarray((np.sum(towers, axis=0) - towers[tower]) / count)

    return evidence.explained(assumed)


def _tower_choice(evidence: Evidence) -> Diagnosis | None:
    if evidence.towers < 2:
        return None
    towers = range(evidence.towers)
    part, tower = max((_explained(evidence, "tower", tower), -tower) for tower in towers)
    if part >= ENOUGH:
        besides = f"; leaving out tower {1 + tower} would give the same" if evidence.towers == 2 else ""
        return Diagnosis(
            "no averaging",
            f"The applied gradient is tower {-tower}'s own: those of the others are not averaged in, or every replica "
            f"works on its data{besides}.",
            "Reduce the gradients over the replicas (ReduceOp.MEAN), and give each replica its own part of the batch.",
            evidence.first_difference(),
            part,
        )
    part, left_out, of = max(
        (_explained(evidence, of, tower), -tower, of) for of in ("sum", "mean") for tower in towers
    )
    if part < ENOUGH:
        return None
    how = f"the sum of the others by {evidence.towers}" if of == "sum" else "the mean of the others"
    return Diagnosis(
        "skipped tower",
        f"Tower {-left_out} is missing from the applied gradient, which is {how}.",
        "Take the gradients of all replicas into the mean.",
        evidence.first_difference(),
        part,
    )


# -- a regulariser that one side has and the other does not ------------------------------------------------------------


def _penalty(kind: str, pair: Pair, name: str) -> np.ndarray:
    """The gradient of a regulariser with factor 1."""
    weights = pair.original.before[name]
    return weights if kind == "L2" else np.sign(weights)


def _explain(explained: Explained, kind: str, coefficient: float, name: str, pairs: list[Pair]) -> None:
    """Adds the difference that this regulariser of a variable would cause."""
    for pair in pairs:
        assumed = pair.expected[name] - coefficient * _penalty(kind, pair, name)
        explained.add(pair.actual[name], assumed, pair.expected[name], pair.allowed(name))


def _regulariser(evidence: Evidence) -> Diagnosis | None:
    found: dict[str, tuple[str, float]] = {}
    everything = Explained()
    for name in sorted({name for pair in evidence.comparable for name in pair.differing}):
        pairs = [
            pair for pair in evidence.comparable if name in set(pair.names) and name in pair.original.before
        ]
        if not pairs or any(pair.original.before[name].shape != pair.expected[name].shape for pair in pairs):
            return None
        best = 0.0
        for kind in ("L2", "L1"):
            shape = joined(_penalty(kind, pair, name) for pair in pairs)
            coefficient = fitted(shape, joined(pair.expected[name] - pair.actual[name] for pair in pairs))
            if coefficient is not None:
                explained = Explained()
                _explain(explained, kind, coefficient, name, pairs)
                if explained.part > best:
                    best, found[name] = explained.part, (kind, coefficient)
        if not best:
            return None
        _explain(everything, *found[name], name, pairs)
    signs = {coefficient > 0 for _, coefficient in found.values()}
    return _of_regulariser(evidence, found, everything.part, True in signs) if len(signs) == 1 else None


def _of_regulariser(
    evidence: Evidence, found: dict[str, tuple[str, float]], part: float, missing: bool
) -> Diagnosis:
    kinds = sorted({kind for kind, _ in found.values()})
    numbers = sorted(abs(coefficient) for _, coefficient in found.values())
    rate = rounded(float(np.median(numbers)))
    if numbers[-1] > 1.05 * numbers[0]:
        rate = f"{rounded(numbers[0])} to {rounded(numbers[-1])}"
    shape = " or ".join("w" if kind == "L2" else "sign(w)" for kind in reversed(kinds))
    kind = " and ".join(kinds)
    if missing:
        name = "missing regulariser"
        words = f"lack {rate} * {shape}, that of an {kind} regulariser; the other gradients are equal."
        todo = "Add the regularisation losses of the original to each replica's loss, once and with the same factor."
    else:
        name = "regulariser added"
        words = (
            f"have {rate} * {shape} more than the original's: an {kind} regulariser that the original does not "
            "have, or that is counted more than once; the others are equal."
        )
        todo = "Count the regularisation losses as often as the original does, with the same factor."
    step = evidence.first_difference(set(found))
    return Diagnosis(name, f"The gradients of {listed(list(found))} {words}", todo, step, part)


FACTOR = Mistake(("sum for mean", "scaled twice", "other constant factor"), "gradients", _factor)
TOWER_CHOICE = Mistake(("no averaging", "skipped tower"), "gradients", _tower_choice)
REGULARISER = Mistake(("missing regulariser", "regulariser added"), "gradients", _regulariser)

# -- clipping at another place of the step, or on one side only --------------------------------------------------------

_CALLS = {"norm": "clip_by_norm", "global": "clip_by_global_norm", "value": "clip_by_value"}
_PLACES = {"after": "what was averaged", "before": "each tower's gradients, then averages"}
_SHORTER = 1 - 10 * EQUAL  # a gradient less shortened than this counts as not clipped
_SEARCHED = 64  # the number of a variable's largest elements on which a threshold is searched
_TODO = {
    "clipping order": "Clip {} averaging, as the original does.",
    "other clipping": "Clip with the original's function and threshold.",
    "missing clipping": "Clip the gradients as the original does, at the same place.",
    "clipping added": "Take the clipping out (see also clipnorm, clipvalue and global_clipnorm of a Keras optimizer).",
}


class _Step(NamedTuple):
    """One side's step: the applied gradients, the mean of its towers' gradients, and each tower's."""

    pair: Pair
    applied: Gradients
    mean: Gradients
    towers: list[Gradients]

    def clipped_at(self, place: str) -> list[Gradients]:
        return [self.mean] if place == "after" else self.towers


class _Clip(NamedTuple):
    """How a side clips; an empty `form`: not at all."""

    form: str = ""
    place: str = "after"
    threshold: float = 0.0
    part: float = 1.0

    def __str__(self) -> str:
        if not self.form:
            return "does not"
        return f"clips ({_CALLS[self.form]}, {rounded(self.threshold)}) {_PLACES[self.place]}"


def _units(form: str, names: Sequence[str]) -> list[list[str]]:
    """The groups of variables that are clipped together."""
    return [list(names)] if form == "global" else [[name] for name in names]


def _applied_by(clip: _Clip, step: _Step, names: Sequence[str]) -> Vectors:
    """The gradients that a step applies if it clips in this way."""
    made: list[Vectors] = []
    for given in step.clipped_at(clip.place):
        vectors, most = given.vectors, clip.threshold
        if clip.form == "value":
            made.append({name: np.clip(vectors[name], -most, most) for name in names})
        else:
            sizes = [(given.size(clip.form, unit), unit) for unit in _units(clip.form, names)]
            made.append(
                {name: vectors[name] * (most / max(size, most)) for size, unit in sizes for name in unit}
            )
    return {name: np.sum([vectors[name] for vectors in made], axis=0) / len(made) for name in names}


def _explain_applied(steps: list[_Step], names: list[str], computed: list[Vectors]) -> Explained:
    """How well the gradients `computed` explain the applied ones, compared with the plain mean."""
    explained = Explained()
    for step, vectors in zip(steps, computed, strict=True):
        for name in names:
            actual = step.applied.vectors[name]
            allowed = max(step.pair.noise, EQUAL * float(np.max(np.abs(actual), initial=0.0)))
            explained.add(actual, vectors[name], step.mean.vectors[name], allowed)
    return explained


def _try_clipping(steps: list[_Step], names: list[str], form: str, place: str) -> _Clip | None:
    """This way of clipping, if some threshold explains the applied gradients of all steps."""
    sizes: list[np.ndarray] = []
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for step in steps:
        for unit in _units(form, names):
            size = np.array([[given.size(form, unit)] for given in step.clipped_at(place)])
            sizes.append(size)
            for name in unit:
                towers = np.stack([given.vectors[name] for given in step.clipped_at(place)])
                few = np.argsort(np.abs(towers).sum(axis=0))[-_SEARCHED:]
                towers = towers[:, few]
                parts.append((step.applied.vectors[name][few], towers, np.broadcast_to(size, towers.shape)))
    applied, towers, lengths = (np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True))
    seen = joined(map(np.ravel, sizes))
    if not largest(seen):
        return None

    def left(threshold: float) -> float:
        if form == "value":
            made = np.clip(towers, -threshold, threshold)
        else:
            made = towers * (threshold / np.maximum(lengths, threshold))
        return float(np.sum((applied - made.mean(axis=0)) ** 2))

    # the threshold with the least rest: on a geometric grid, refined around the best point
    low = largest(seen) * 1e-4
    threshold = high = largest(seen)
    for _ in range(6):
        grid = np.geomspace(low, high, 25)
        at = int(np.argmin([left(float(number)) for number in grid]))
        threshold, low, high = (float(grid[place]) for place in (at, max(at - 1, 0), min(at + 1, 24)))
    # with only one clipped gradient, a constant factor would fit as well
    if np.count_nonzero(seen * _SHORTER > threshold) < 2:
        return None
    clip = _Clip(form, place, threshold)
    part = _explain_applied(steps, names, [_applied_by(clip, step, names) for step in steps]).part
    return clip._replace(part=part) if part >= ENOUGH else None


def _usable(names: list[str], *sides: Vectors) -> bool:
    """Whether both sides have finite gradients of these variables, with the same shapes."""
    source, applied = sides
    return all(
        name in source
        and name in applied
        and source[name].shape == applied[name].shape
        and np.isfinite([source[name], applied[name]]).all()
        for name in names
    )


def _side(evidence: Evidence, side: str, names: list[str]) -> _Clip | None:
    """How a side gets its applied gradients from its own towers' or the original's; None where no known way fits."""
    steps: list[_Step] = []
    for pair in evidence.pairs:
        view = getattr(pair, side)
        source = view if len(view.towers) == evidence.towers or not pair.comparable else pair.original
        if len(source.towers) == evidence.towers and _usable(
            names, source.mean.vectors, view.gradients.vectors
        ):
            steps.append(_Step(pair, view.gradients, source.mean, source.towers))
    if not steps or _explain_applied(steps, names, [step.mean.vectors for step in steps]).holds:
        return _Clip() if steps else None
    ways = [_try_clipping(steps, names, form, place) for form in _CALLS for place in _PLACES]
    return max(filter(None, ways), key=lambda clip: clip.part, default=None)


def _clipping(evidence: Evidence) -> Diagnosis | None:
    names = list(evidence.comparable[0].names) if evidence.comparable else []
    original, migrated = (
        _side(evidence, side, names) if names else None for side in ("original", "migrated")
    )
    if original is None or migrated is None or not (kind := _kind(original, migrated)):
        return None
    message = f"The original {original}; the migrated run {migrated}."
    todo, part = _TODO[kind].format(original.place), min(original.part, migrated.part)
    return Diagnosis(kind, message, todo, evidence.first_difference(), part)


def _kind(original: _Clip, migrated: _Clip) -> str | None:
    if not original.form or not migrated.form:
        if original.form == migrated.form:
            return None
        return "missing clipping" if original.form else "clipping added"
    if original.place != migrated.place:
        return "clipping order"
    same = original.form == migrated.form and abs(original.threshold / migrated.threshold - 1) <= 1e-3
    return None if same else "other clipping"


CLIPPING = Mistake(tuple(_TODO), "gradients", _clipping)
