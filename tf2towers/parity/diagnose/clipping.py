"""Gradients are clipped at another place of the step, or on one side only.

TF1 trainers clip what they have averaged (`tf.clip_by_global_norm(zip(*average_gradients(..)))`) or each tower's
gradients before; the two are not the same. Recognised by recomputing both from the towers' gradients; without those, by
one side being the other's, clipped, at a threshold that its steps have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tf2towers.parity.diagnose.evidence import Evidence, Mistake, Pair, View
from tf2towers.parity.diagnose.numbers import ENOUGH, EQUAL, Explained, Vectors, least, rounded
from tf2towers.report.parity_result import Diagnosis

# -- the ways of TF1 to clip gradients, and where a step clips: recomputed from the towers' gradients ------------------
#     norm     t * c / max(|t|, c), each variable by itself          tf.clip_by_norm
#     global   the same with one length for all variables together   tf.clip_by_global_norm
#     value    min(max(t, -c), c), each element                      tf.clip_by_value
#
# 'after': the mean over the towers is clipped; 'before': each tower's own, then the mean is taken. The threshold c is
# what the clipped ones have in common: their length, or their greatest element.

Form = Literal["norm", "global", "value"]
Place = Literal["before", "after"]
FORMS: tuple[Form, ...] = ("norm", "global", "value")
CALLS = {"norm": "clip_by_norm", "global": "clip_by_global_norm", "value": "clip_by_value"}
SHORTER = 1 - 10 * EQUAL  # what is not much shorter is not clipped


@dataclass
class Given:
    """Gradients by variable with their lengths (of all elements, where the vectors are only a part)."""

    vectors: Vectors
    norms: dict[str, float]

    def length(self, names: Sequence[str]) -> float:
        """The length of some variables' gradients together."""
        return float(np.sqrt(sum(self.norms[name] ** 2 for name in names)))


def units(form: Form, names: Sequence[str]) -> list[list[str]]:
    """The variables that are clipped together."""
    return [list(names)] if form == "global" else [[name] for name in names]


def clipped(form: Form, threshold: float, given: Given, names: Sequence[str]) -> Vectors:
    """The gradients after clipping."""
    if form == "value":
        return {name: np.clip(given.vectors[name], -threshold, threshold) for name in names}
    made: Vectors = {}
    for unit in units(form, names):
        scale = threshold / max(given.length(unit), threshold)
        made |= {name: scale * given.vectors[name] for name in unit}
    return made


@dataclass(frozen=True)
class Threshold:
    """An estimate; `seen` is how many independent numbers agree on it."""

    value: float
    seen: int


def agreed(numbers: Sequence[float]) -> Threshold | None:
    """The median, if (nearly) all numbers are that."""
    if not numbers:
        return None
    middle = float(np.median(numbers))
    near = sum(abs(number - middle) <= 20 * EQUAL * middle for number in numbers)
    return Threshold(middle, near) if middle > 0 and near >= 0.9 * len(numbers) else None


def threshold_after(
    form: Form, steps: Sequence[tuple[Given, Given]], names: Sequence[str]
) -> Threshold | None:
    """What `steps`, pairs of (whole, clipped), were clipped at."""
    numbers: list[float] = []
    for whole, short in steps:
        if form == "value":
            for name in names:
                cut = np.abs(short.vectors[name]) < SHORTER * np.abs(whole.vectors[name])
                numbers += [float(size) for size in np.abs(short.vectors[name][cut])[:64]]
            continue
        for unit in units(form, names):
            length = short.length(unit)
            if length < SHORTER * whole.length(unit):
                numbers.append(length)
    return agreed(numbers)


def _threshold_of_unit(applied: np.ndarray, towers: list[np.ndarray], lengths: list[float]) -> float | None:
    """Threshold c of mean_j(t_j * min(1, c/|t_j|)) = applied: each piece between two lengths is linear in c."""
    order = np.argsort(lengths)
    best: tuple[float, float] | None = None
    for cut in range(len(towers)):
        whole = sum((towers[tower] for tower in order[:cut]), np.zeros_like(applied)) / len(towers)
        directions = sum(
            (towers[tower] / (lengths[tower] or 1.0) for tower in order[cut:]), np.zeros_like(applied)
        )
        direction = directions / len(towers)
        size = float(direction @ direction)
        if not size:
            continue
        value = float((applied - whole) @ direction) / size
        low = lengths[order[cut - 1]] if cut else 0.0
        if not low * 0.999 <= value <= lengths[order[cut]] * 1.001:
            continue
        left = float(np.linalg.norm(applied - whole - value * direction))
        if best is None or left < best[0]:
            best = (left, value)
    return None if best is None or best[0] > 10 * EQUAL * float(np.linalg.norm(applied)) else best[1]


def threshold_before(
    form: Form, steps: Sequence[tuple[Given, list[Given]]], names: Sequence[str]
) -> Threshold | None:
    """What the towers' gradients were clipped at, of `steps` of (applied, the towers')."""
    if form == "value":
        return _value_before(steps, names)
    numbers: list[float] = []
    for applied, towers in steps:
        for unit in units(form, names):
            vector = np.concatenate([applied.vectors[name] for name in unit])
            parts = [np.concatenate([tower.vectors[name] for name in unit]) for tower in towers]
            mean = sum(parts[1:], parts[0]) / len(parts)
            if np.linalg.norm(vector - mean) <= 10 * EQUAL * np.linalg.norm(mean):
                continue
            value = _threshold_of_unit(vector, parts, [tower.length(unit) for tower in towers])
            if value is None:
                return None
            numbers.append(value)
    return agreed(numbers)


def _value_before(steps: Sequence[tuple[Given, list[Given]]], names: Sequence[str]) -> Threshold | None:
    """By search: the c whose result is nearest, first over the powers of ten, then nearer and nearer."""
    applied = np.concatenate([given.vectors[name] for given, _ in steps for name in names] or [np.zeros(0)])
    count = min((len(towers) for _, towers in steps), default=0)
    towers = [
        np.concatenate([all_of[tower].vectors[name] for _, all_of in steps for name in names])
        for tower in range(count)
    ]
    top = max((float(np.max(np.abs(tower), initial=0.0)) for tower in towers), default=0.0)
    if not top or not np.isfinite(top):
        return None

    def left(threshold: float) -> float:
        made = sum(np.clip(tower, -threshold, threshold) for tower in towers) / count
        return float(np.linalg.norm(applied - made))

    best = least(left, top * 1e-4, top, points=25, rounds=12)
    cut = sum(int(np.count_nonzero(np.abs(tower) > best * 1.001)) for tower in towers)
    return Threshold(best, cut) if cut else None


# -- what each side does, and how the two differ -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Clip:
    """How a side clips: `form` None for not at all."""

    form: Form | None
    place: Place = "after"
    threshold: float = 0.0
    part: float = 1.0

    def __str__(self) -> str:
        assert self.form is not None
        what = "what was averaged" if self.place == "after" else "each tower's gradients, then averages"
        return f"clips ({CALLS[self.form]}, {rounded(self.threshold)}) {what}"


#: a side's step: applied, mean of the towers, the towers
_Taken = tuple[Pair, View, Given, Given, list[Given]]


def _finite(vectors: Vectors, names: Sequence[str]) -> bool:
    return all(np.isfinite(vectors[name]).all() for name in names)


def _taken(evidence: Evidence, side: str, names: list[str]) -> list[_Taken]:
    """The steps of a side with its own towers' gradients, or where they are not known, the original's."""
    found: list[_Taken] = []
    for pair in evidence.pairs:
        view: View = getattr(pair, side)
        source = view
        if len(view.towers) != evidence.towers and pair.comparable:
            source = pair.original
        mean, mean_norms = source.mean
        if len(source.towers) != evidence.towers or not all(
            name in mean and name in view.gradients for name in names
        ):
            continue
        if any(mean[name].shape != view.gradients[name].shape for name in names):
            continue
        if not _finite(mean, names) or not _finite(view.gradients, names):
            continue
        towers = [
            Given(vectors, norms) for vectors, norms in zip(source.towers, source.tower_norms, strict=True)
        ]
        found.append((pair, view, Given(view.gradients, view.norms), Given(mean, mean_norms), towers))
    return found


def _mean_of_clipped(form: Form, threshold: float, towers: list[Given], names: list[str]) -> Vectors:
    made = [clipped(form, threshold, tower, names) for tower in towers]
    return {name: np.sum([vectors[name] for vectors in made], axis=0) / len(made) for name in names}


def _is(taken: list[_Taken], names: list[str], made: list[Vectors]) -> Explained:
    """How well `made` are the applied gradients, against the plain mean."""
    explained = Explained()
    for (pair, view, _, mean, _), vectors in zip(taken, made, strict=True):
        for name in names:
            actual = view.gradients[name]
            allowed = max(pair.noise, pair.tolerance * float(np.max(np.abs(actual), initial=0.0)))
            explained.add(actual, vectors[name], mean.vectors[name], allowed)
    return explained


def _side(taken: list[_Taken], names: list[str]) -> _Clip | None:
    """How the side's applied gradients come from its towers'; None where in no known way."""
    if not taken:
        return None
    if _is(taken, names, [mean.vectors for _, _, _, mean, _ in taken]).holds:
        return _Clip(None)
    found: list[_Clip] = []
    for form in FORMS:
        after = threshold_after(form, [(mean, applied) for _, _, applied, mean, _ in taken], names)
        if after is not None and after.seen > 1:
            made = [clipped(form, after.value, mean, names) for _, _, _, mean, _ in taken]
            found.append(_Clip(form, "after", after.value, _is(taken, names, made).part))
        before = threshold_before(form, [(applied, towers) for _, _, applied, _, towers in taken], names)
        if before is not None:
            made = [_mean_of_clipped(form, before.value, towers, names) for *_, towers in taken]
            found.append(_Clip(form, "before", before.value, _is(taken, names, made).part))
    best = max(found, key=lambda clip: clip.part, default=None)
    return best if best is not None and best.part >= ENOUGH else None


def _from_towers(evidence: Evidence, names: list[str]) -> Diagnosis | None:
    original = _side(_taken(evidence, "original", names), names)
    migrated = _side(_taken(evidence, "migrated", names), names)
    if original is None or migrated is None:
        return None
    step, part = evidence.first_difference(), min(original.part, migrated.part)
    if original.form is None and migrated.form is not None:
        return _added(str(migrated), step, part)
    if original.form is not None and migrated.form is None:
        return _missing(f"The original {original}", step, part)
    if original.form is None or migrated.form is None:
        return None
    if original.place != migrated.place:
        first = "after averaging" if original.place == "after" else "before averaging"
        return Diagnosis(
            "clipping order",
            f"The original {original}; the migrated run {migrated}.",
            f"Clip {first}, as the original does.",
            step,
            part,
        )
    if original.form != migrated.form or abs(original.threshold / migrated.threshold - 1) > 1e-3:
        return Diagnosis(
            "other clipping",
            f"The original {original}; the migrated run {migrated}.",
            "Clip with the original's function and threshold.",
            step,
            part,
        )
    return None


def _missing(seen: str, step: int, part: float) -> Diagnosis:
    return Diagnosis(
        "missing clipping",
        f"{seen}; the migrated run does not.",
        "Clip the gradients as the original does, at the same place.",
        step,
        part,
    )


def _added(how: str, step: int, part: float) -> Diagnosis:
    return Diagnosis(
        "clipping added",
        f"The migrated run {how}; the original does not.",
        "Take the clipping out (see also clipnorm, clipvalue and global_clipnorm of a Keras optimizer).",
        step,
        part,
    )


def _alone(evidence: Evidence, names: list[str], whole: str, short: str) -> _Clip | None:
    """The clip that makes one side's applied gradients of the other's."""
    steps = []
    for pair in evidence.comparable:
        mine, its = getattr(pair, whole), getattr(pair, short)
        if all(name in mine.gradients and name in its.gradients for name in names):
            if _finite(mine.gradients, names) and _finite(its.gradients, names):
                steps.append((pair, Given(mine.gradients, mine.norms), Given(its.gradients, its.norms)))
    best: _Clip | None = None
    for form in FORMS:
        found = threshold_after(form, [(mine, its) for _, mine, its in steps], names)
        if found is None or found.seen + _further_steps(evidence, form, names, short, found.value) < 2:
            continue
        explained = Explained()
        for pair, mine, its in steps:
            made = clipped(form, found.value, mine, names)
            for name in names:
                explained.add(
                    its.vectors[name],
                    made[name],
                    mine.vectors[name],
                    max(pair.noise, pair.tolerance * float(np.max(np.abs(its.vectors[name]), initial=0.0))),
                )
        if explained.part >= ENOUGH and (best is None or explained.part > best.part):
            best = _Clip(form, "after", found.value, explained.part)
    return best


def _further_steps(evidence: Evidence, form: Form, names: list[str], side: str, threshold: float) -> int:
    """In how many further steps of the side the same length turns up, whatever the other side did there."""
    if form != "global":
        return 0
    views = [getattr(pair, side) for pair in evidence.pairs if not pair.comparable]
    given = [Given(view.gradients, view.norms) for view in views if all(name in view.norms for name in names)]
    return sum(abs(gradients.length(names) / threshold - 1) < 1e-4 for gradients in given)


def _recognise(evidence: Evidence) -> Diagnosis | None:
    if not evidence.comparable:
        return None
    names = list(evidence.names(evidence.comparable[0]))
    if not names:
        return None
    found = _from_towers(evidence, names)
    if found is not None:
        return found
    step = evidence.first_difference()
    missing = _alone(evidence, names, "migrated", "original")
    if missing is not None:
        assert missing.form is not None
        seen = f"The original's gradients are the migrated run's, clipped ({CALLS[missing.form]}, "
        return _missing(f"{seen}{rounded(missing.threshold)})", step, missing.part)
    added = _alone(evidence, names, "original", "migrated")
    if added is not None:
        assert added.form is not None
        return _added(f"clips ({CALLS[added.form]}, {rounded(added.threshold)})", step, added.part)
    return None


CLIPPING = Mistake(
    ("clipping order", "missing clipping", "clipping added", "other clipping"), "gradients", _recognise
)
