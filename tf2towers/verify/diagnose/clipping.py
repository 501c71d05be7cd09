"""Gradients are clipped at another place of the step, or on one side only.

TF1 trainers clip what they have averaged (`tf.clip_by_global_norm(zip(*average_gradients(..)))`) or each tower's
gradients before; the two are not the same. Every way to clip is tried on the towers' gradients, with the threshold that
comes nearest to what was applied.

    norm     t * c / max(|t|, c), each variable by itself          tf.clip_by_norm
    global   the same with one length for all variables together   tf.clip_by_global_norm
    value    min(max(t, -c), c), each element                      tf.clip_by_value
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.evidence import (
    ENOUGH,
    EQUAL,
    Evidence,
    Explained,
    Gradients,
    Mistake,
    Pair,
    Vectors,
    joined,
    largest,
    rounded,
)

_CALLS = {"norm": "clip_by_norm", "global": "clip_by_global_norm", "value": "clip_by_value"}
_PLACES = {"after": "what was averaged", "before": "each tower's gradients, then averages"}
_SHORTER = 1 - 10 * EQUAL  # what is not much shorter is not clipped
_SEARCHED = 64  # elements of a variable, the greatest, that the search for a threshold looks at
_TODO = {
    "clipping order": "Clip {} averaging, as the original does.",
    "other clipping": "Clip with the original's function and threshold.",
    "missing clipping": "Clip the gradients as the original does, at the same place.",
    "clipping added": "Take the clipping out (see also clipnorm, clipvalue and global_clipnorm of a Keras optimizer).",
}


class _Step(NamedTuple):
    """A side's step: what was applied, the mean of its towers' gradients, the towers' own."""

    pair: Pair
    applied: Gradients
    mean: Gradients
    towers: list[Gradients]

    def clipped_at(self, place: str) -> list[Gradients]:
        return [self.mean] if place == "after" else self.towers


class _Clip(NamedTuple):
    """How a side clips: `form` empty for not at all."""

    form: str = ""
    place: str = "after"
    threshold: float = 0.0
    part: float = 1.0

    @property
    def call(self) -> str:
        return f"({_CALLS[self.form]}, {rounded(self.threshold)})"

    def __str__(self) -> str:
        return f"clips {self.call} {_PLACES[self.place]}" if self.form else "does not"


def _units(form: str, names: Sequence[str]) -> list[list[str]]:
    """The variables that are clipped together."""
    return [list(names)] if form == "global" else [[name] for name in names]


def _applied(clip: _Clip, step: _Step, names: Sequence[str]) -> Vectors:
    """What a step applies that clips so."""
    made: list[Vectors] = []
    for given in step.clipped_at(clip.place):
        if clip.form == "value":
            made.append(
                {name: np.clip(given.vectors[name], -clip.threshold, clip.threshold) for name in names}
            )
        else:
            made.append(
                {
                    name: given.vectors[name]
                    * (clip.threshold / max(given.size(clip.form, unit), clip.threshold))
                    for unit in _units(clip.form, names)
                    for name in unit
                }
            )
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


def _way(steps: list[_Step], names: list[str], form: str, place: str) -> _Clip | None:
    """This way to clip, if some threshold makes of all steps what they applied."""
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

    # where it is least: on a grid in even ratios, then nearer and nearer
    low = largest(seen) * 1e-4
    threshold = high = largest(seen)
    for _ in range(6):
        grid = np.geomspace(low, high, 25)
        at = int(np.argmin([left(float(number)) for number in grid]))
        threshold, low, high = (float(grid[place]) for place in (at, max(at - 1, 0), min(at + 1, 24)))
    # one that is cut could be a constant factor
    if np.count_nonzero(seen * _SHORTER > threshold) < 2:
        return None
    clip = _Clip(form, place, threshold)
    part = _is(steps, names, [_applied(clip, step, names) for step in steps]).part
    return clip._replace(part=part) if part >= ENOUGH else None


def _best(steps: list[_Step], names: list[str], places: Sequence[str]) -> _Clip | None:
    ways = [_way(steps, names, form, place) for form in _CALLS for place in places] if steps else []
    return max(filter(None, ways), key=lambda clip: clip.part, default=None)


def _usable(names: list[str], *sides: Vectors) -> bool:
    """Whether both sides have finite gradients of these variables, of the same size."""
    mine, its = sides
    return all(
        name in mine
        and name in its
        and mine[name].shape == its[name].shape
        and np.isfinite([mine[name], its[name]]).all()
        for name in names
    )


def _side(evidence: Evidence, side: str, names: list[str]) -> _Clip | None:
    """How a side's applied gradients come from its own towers', or the original's; None where in no known way."""
    steps: list[_Step] = []
    for pair in evidence.pairs:
        view = getattr(pair, side)
        source = view if len(view.towers) == evidence.towers or not pair.comparable else pair.original
        if len(source.towers) == evidence.towers and _usable(
            names, source.mean.vectors, view.gradients.vectors
        ):
            steps.append(_Step(pair, view.gradients, source.mean, source.towers))
    if not steps or _is(steps, names, [step.mean.vectors for step in steps]).holds:
        return _Clip() if steps else None
    return _best(steps, names, ("after", "before"))


def _recognise(evidence: Evidence) -> Diagnosis | None:
    names = list(evidence.comparable[0].names) if evidence.comparable else []
    original, migrated = (
        _side(evidence, side, names) if names else None for side in ("original", "migrated")
    )
    if original is None or migrated is None or not (kind := _kind(original, migrated)):
        return None
    said = f"The original {original}; the migrated run {migrated}."
    todo, part = _TODO[kind].format(original.place), min(original.part, migrated.part)
    return Diagnosis(kind, said, todo, evidence.first_difference(), part)


def _kind(original: _Clip, migrated: _Clip) -> str | None:
    if not original.form or not migrated.form:
        if original.form == migrated.form:
            return None
        return "missing clipping" if original.form else "clipping added"
    if original.place != migrated.place:
        return "clipping order"
    same = original.form == migrated.form and abs(original.threshold / migrated.threshold - 1) <= 1e-3
    return None if same else "other clipping"


CLIPPING = Mistake(tuple(_TODO), "gradients", _recognise)
