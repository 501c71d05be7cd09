"""Gradients are clipped at another place of the step, or on one side only.

TF1 trainers clip what they have averaged (`tf.clip_by_global_norm(zip(*average_gradients(..)))`) or each tower's
gradients before; the two are not the same. Every way to clip is tried on the towers' gradients, with the threshold that
comes nearest to what was applied; without those, on the other side's gradients.

    norm     t * c / max(|t|, c), each variable by itself          tf.clip_by_norm
    global   the same with one length for all variables together   tf.clip_by_global_norm
    value    min(max(t, -c), c), each element                      tf.clip_by_value
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import Evidence, Mistake, Pair
from tf2towers.verify.diagnose.numbers import (
    ENOUGH,
    EQUAL,
    Explained,
    Vectors,
    joined,
    largest,
    least,
    rounded,
)

Form = Literal["norm", "global", "value"]
Place = Literal["after", "before"]
CALLS: dict[Form, str] = {"norm": "clip_by_norm", "global": "clip_by_global_norm", "value": "clip_by_value"}
_PLACES: dict[Place, str] = {
    "after": "what was averaged",
    "before": "each tower's gradients, then averages",
}
_SHORTER = 1 - 10 * EQUAL  # what is not much shorter is not clipped
_SEARCHED = 64  # elements of a variable, the greatest, that the search for a threshold looks at
_TODO = {
    "clipping order": "Clip {} averaging, as the original does.",
    "other clipping": "Clip with the original's function and threshold.",
    "missing clipping": "Clip the gradients as the original does, at the same place.",
    "clipping added": "Take the clipping out (see also clipnorm, clipvalue and global_clipnorm of a Keras optimizer).",
}


@dataclass
class Given:
    """Gradients by variable with their lengths (of all elements, where the vectors are only a part)."""

    vectors: Vectors
    norms: dict[str, float]

    def size(self, form: Form, names: Sequence[str]) -> float:
        """What a threshold is compared with: the length of some variables' gradients together, or their greatest."""
        if form == "value":
            return max(float(np.max(np.abs(self.vectors[name]), initial=0.0)) for name in names)
        return float(np.sqrt(sum(self.norms[name] ** 2 for name in names)))


class _Step(NamedTuple):
    """A side's step: what was applied, the mean of its towers' gradients, the towers' own."""

    pair: Pair
    applied: Given
    mean: Given
    towers: list[Given]

    def clipped_at(self, place: Place) -> list[Given]:
        return [self.mean] if place == "after" else self.towers


class _Clip(NamedTuple):
    """How a side clips: `form` None for not at all."""

    form: Form | None
    place: Place = "after"
    threshold: float = 0.0
    part: float = 1.0

    @property
    def call(self) -> str:
        assert self.form is not None
        return f"({CALLS[self.form]}, {rounded(self.threshold)})"

    def __str__(self) -> str:
        return f"clips {self.call} {_PLACES[self.place]}"


def units(form: Form, names: Sequence[str]) -> list[list[str]]:
    """The variables that are clipped together."""
    return [list(names)] if form == "global" else [[name] for name in names]


def _clipped(form: Form, threshold: float, given: Given, names: Sequence[str]) -> Vectors:
    if form == "value":
        return {name: np.clip(given.vectors[name], -threshold, threshold) for name in names}
    return {
        name: given.vectors[name] * (threshold / max(given.size(form, unit), threshold))
        for unit in units(form, names)
        for name in unit
    }


def _applied(form: Form, place: Place, threshold: float, step: _Step, names: Sequence[str]) -> Vectors:
    """What a step applies that clips so."""
    made = [_clipped(form, threshold, given, names) for given in step.clipped_at(place)]
    return {name: np.sum([vectors[name] for vectors in made], axis=0) / len(made) for name in names}


def _is(steps: list[_Step], names: list[str], made: list[Vectors]) -> Explained:
    """How well `made` are the applied gradients, against the plain mean."""
    explained = Explained()
    for step, vectors in zip(steps, made, strict=True):
        for name in names:
            actual = step.applied.vectors[name]
            allowed = max(step.pair.noise, step.pair.tolerance * float(np.max(np.abs(actual), initial=0.0)))
            explained.add(actual, vectors[name], step.mean.vectors[name], allowed)
    return explained


def _way(steps: list[_Step], names: list[str], form: Form, place: Place) -> _Clip | None:
    """This way to clip, if some threshold makes of all steps what they applied."""
    sizes: list[np.ndarray] = []
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for step in steps:
        for unit in units(form, names):
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

    threshold = least(left, largest(seen) * 1e-4, largest(seen), points=25, rounds=6)
    # one that is cut could be a constant factor
    if np.count_nonzero(seen * _SHORTER > threshold) < 2:
        return None
    made = [_applied(form, place, threshold, step, names) for step in steps]
    part = _is(steps, names, made).part
    return _Clip(form, place, threshold, part) if part >= ENOUGH else None


def _best(steps: list[_Step], names: list[str], places: Sequence[Place]) -> _Clip | None:
    if not steps:
        return None
    ways = [_way(steps, names, form, place) for form in CALLS for place in places]
    return max(filter(None, ways), key=lambda clip: clip.part, default=None)


def _steps(evidence: Evidence, side: str, names: list[str]) -> list[_Step]:
    """The steps of a side with its own towers' gradients, or where they are not known, the original's."""
    found: list[_Step] = []
    for pair in evidence.pairs:
        view = getattr(pair, side)
        source = view if len(view.towers) == evidence.towers or not pair.comparable else pair.original
        mean, lengths = source.mean
        usable = len(source.towers) == evidence.towers and all(
            name in mean
            and name in view.gradients
            and mean[name].shape == view.gradients[name].shape
            and np.isfinite([mean[name], view.gradients[name]]).all()
            for name in names
        )
        if usable:
            towers = [Given(*of_tower) for of_tower in zip(source.towers, source.tower_norms, strict=True)]
            found.append(_Step(pair, Given(view.gradients, view.norms), Given(mean, lengths), towers))
    return found


def _side(steps: list[_Step], names: list[str]) -> _Clip | None:
    """How the side's applied gradients come from its towers'; None where in no known way."""
    if not steps:
        return None
    if _is(steps, names, [step.mean.vectors for step in steps]).holds:
        return _Clip(None)
    return _best(steps, names, ("after", "before"))


def _alone(evidence: Evidence, names: list[str], whole: str, short: str) -> _Clip | None:
    """The clip that makes one side's applied gradients of the other's."""
    steps = []
    for pair in evidence.comparable:
        mine, its = getattr(pair, whole), getattr(pair, short)
        if all(
            name in mine.gradients
            and name in its.gradients
            and np.isfinite([mine.gradients[name], its.gradients[name]]).all()
            for name in names
        ):
            given = Given(mine.gradients, mine.norms)
            steps.append(_Step(pair, Given(its.gradients, its.norms), given, [given]))
    return _best(steps, names, ("after",))


def _recognise(evidence: Evidence) -> Diagnosis | None:
    names = list(evidence.names(evidence.comparable[0])) if evidence.comparable else []
    if not names:
        return None
    original, migrated = (_side(_steps(evidence, side, names), names) for side in ("original", "migrated"))
    if original is not None and migrated is not None:
        kind = _kind(original, migrated)
        seen = [
            f"the {side} {clip if clip.form else 'does not'}"
            for side, clip in (("original", original), ("migrated run", migrated))
        ]
        part = min(original.part, migrated.part)
        if kind:
            todo = _TODO[kind].format(original.place)
            return Diagnosis(kind, f"T{'; '.join(seen)[1:]}.", todo, evidence.first_difference(), part)
    for kind, whole, short in (
        ("missing clipping", "migrated", "original"),
        ("clipping added", "original", "migrated"),
    ):
        clip = _alone(evidence, names, whole, short)
        if clip is not None:
            seen_alone = f"The gradients of the {short} are those of the {whole}, clipped {clip.call}."
            return Diagnosis(kind, seen_alone, _TODO[kind], evidence.first_difference(), clip.part)
    return None


def _kind(original: _Clip, migrated: _Clip) -> str | None:
    if original.form is None or migrated.form is None:
        if original.form is migrated.form:
            return None
        return "clipping added" if original.form is None else "missing clipping"
    if original.place != migrated.place:
        return "clipping order"
    same = original.form == migrated.form and abs(original.threshold / migrated.threshold - 1) <= 1e-3
    return None if same else "other clipping"


CLIPPING = Mistake(tuple(_TODO), "gradients", _recognise)
