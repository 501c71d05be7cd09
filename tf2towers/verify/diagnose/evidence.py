"""Two recordings side by side, as flat vectors, and the part of their difference that an assumption explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.recording import Arrays, Recording, Step, dense

Vectors = dict[str, np.ndarray]  # name -> float64, one dimension
Shapes = Mapping[str, tuple[int, ...]]

EQUAL = 1e-4  # of the largest element: far more than rounding (TF 1.15 against 2.21: 1e-5)
NOISE = 1e-6  # of the step's largest gradient: at most this is rounding, as for a bias before batch-norm
ROUNDING = 8 * float(np.finfo(np.float32).eps)  # of a weight: the precision of its update
ENOUGH = 0.8  # the part of a difference that an assumption must explain
LIMIT = 1 << 12  # the largest number of elements of a variable that are examined
SHADOW = "/ExponentialMovingAverage"

#: the links of a step's chain, in order; each broken link has one diagnosis
Link = Literal["gradients", "update", "statistics", "moving average"]


# -- vectors -----------------------------------------------------------------------------------------------------------


def largest(*vectors: np.ndarray) -> float:
    """The greatest absolute value of any finite element; 0 where there is none."""
    sizes = (np.max(np.abs(vector[np.isfinite(vector)]), initial=0.0) for vector in vectors)
    return max(map(float, sizes), default=0.0)


def apart(left: np.ndarray, right: np.ndarray) -> float:
    """The greatest absolute difference; infinity if shapes differ, or only one side has a NaN or infinity somewhere."""
    if left.shape != right.shape:
        return float("inf")
    finite = np.isfinite(left) & np.isfinite(right)
    strange = ~finite & ~((left == right) | (np.isnan(left) & np.isnan(right)))
    return float("inf") if strange.any() else largest(left[finite] - right[finite])


def relative(left: np.ndarray, right: np.ndarray) -> float:
    """The greatest absolute difference, relative to the largest element."""
    difference = apart(left, right)
    return 0.0 if difference == 0.0 else difference / (largest(left, right) or 1.0)


def fitted(column: np.ndarray, target: np.ndarray) -> float | None:
    """The factor that makes `column` closest to `target`; None where `column` is 0. Only finite elements count."""
    finite = np.isfinite(column) & np.isfinite(target)
    scale = largest(column[finite])
    if not scale:
        return None
    of, to = column[finite] / scale, target[finite]
    return float(np.dot(of, to) / np.dot(of, of) / scale)


def joined(vectors: Iterable[np.ndarray]) -> np.ndarray:
    """All vectors concatenated."""
    return np.concatenate([np.zeros(0), *vectors])


def scaled(vectors: Iterable[np.ndarray], allowed: Iterable[float]) -> np.ndarray:
    """All vectors concatenated, each divided by its allowed difference."""
    return joined(vector / (off or 1.0) for vector, off in zip(vectors, allowed, strict=True))


def rounded(number: float) -> str:
    """A number in three digits, for a sentence."""
    return f"{number:.3g}"


class Explained:
    """Sums up, over all elements, how much of a difference an assumption leaves unexplained.

    Each vector is divided by its allowed difference, so that large variables do not outweigh small ones.
    """

    def __init__(self) -> None:
        self._left = self._difference = 0.0
        self.holds = True

    def add(self, actual: np.ndarray, assumed: np.ndarray, otherwise: np.ndarray, allowed: float) -> None:
        """Adds `actual` values, the values under the assumption, and the values without it."""
        finite = np.isfinite(actual) & np.isfinite(assumed) & np.isfinite(otherwise)
        left, difference = actual[finite] - assumed[finite], actual[finite] - otherwise[finite]
        scale = allowed or 1.0
        self.holds = self.holds and largest(left) <= allowed
        self._left += float(np.sum((left / scale) ** 2))
        self._difference += float(np.sum((difference / scale) ** 2))

    @property
    def part(self) -> float:
        """The part explained; 0 where it is less than `ENOUGH`, or a value contradicts the assumption."""
        if not self.holds or not self._difference or not np.isfinite(self._left + self._difference):
            return 0.0
        part = 1.0 - float(np.sqrt(self._left / self._difference))
        return part if part >= ENOUGH else 0.0


# -- steps -------------------------------------------------------------------------------------------------------------


class Gradients:
    """Gradients by variable: at most `LIMIT` elements of each, and the norms of the whole gradients."""

    def __init__(self, arrays: Arrays) -> None:
        self.vectors = {name: _part(array) for name, array in arrays.items()}
        self.norms = {name: float(np.linalg.norm(array.astype(np.float64))) for name, array in arrays.items()}

    def size(self, form: str, names: Sequence[str]) -> float:
        """The size that a clipping threshold is compared with: the norm of all together, or the greatest element."""
        if form == "value":
            return max(float(np.max(np.abs(self.vectors[name]), initial=0.0)) for name in names)
        return float(np.sqrt(sum(self.norms[name] ** 2 for name in names)))


class View:
    """One side's values of a step, as vectors.

    Attributes:
        before, after: the variables. changes: how the step changed those that exist before and after.
        gradients: those that the optimizer was given. towers: those that each tower computed. mean: their mean, for the
            variables that all towers have. losses: one value for each tower.
    """

    def __init__(self, step: Step, shapes: Shapes) -> None:
        self.step = step
        numbers = [
            {name: _part(array) for name, array in arrays.items() if _numeric(array)}
            for arrays in (step.variables, step.after)
        ]
        self.before, self.after = numbers
        self.changes = {
            name: after - self.before[name]
            for name, after in self.after.items()
            if name in self.before and self.before[name].shape == after.shape
        }
        self.gradients = Gradients(_as_numbers(step.gradients, shapes))
        towers = [_as_numbers(arrays, shapes) for arrays in step.tower_gradients]
        self.towers = [Gradients(arrays) for arrays in towers]
        names = [
            name
            for name, array in (towers[0] if towers else {}).items()
            if all(name in tower and tower[name].shape == array.shape for tower in towers)
        ]
        total = {name: np.sum([tower[name].astype(np.float64) for tower in towers], axis=0) for name in names}
        self.mean = Gradients({name: value / len(towers) for name, value in total.items()})
        self.losses = joined(
            np.asarray(loss, np.float64).reshape(-1) for loss in step.losses if np.size(loss) == 1
        )


class Pair:
    """The same step of both sides.

    `comparable`: whether both sides began it with equal weights and inputs, so that any difference arose in it.
    """

    def __init__(self, index: int, original: View, migrated: View) -> None:
        self.index, self.original, self.migrated = index, original, migrated
        self.expected, self.actual = original.gradients.vectors, migrated.gradients.vectors
        weights = [name for name in self.expected if name in original.before and name in migrated.before]
        apart = (relative(original.before[name], migrated.before[name]) for name in weights)
        self.comparable = max(apart, default=0.0) <= ROUNDING and not _inputs_differ(
            original.step, migrated.step
        )

    @property
    def names(self) -> Iterator[str]:
        """The variables whose gradients both sides have, with the same shape."""
        return (
            name
            for name in self.expected
            if name in self.actual and self.expected[name].shape == self.actual[name].shape
        )

    @cached_property
    def noise(self) -> float:
        """The size up to which gradients count as rounding."""
        return NOISE * largest(*self.expected.values(), *self.actual.values())

    def allowed(self, name: str) -> float:
        """The allowed difference of a variable's gradients."""
        return EQUAL * largest(self.expected[name], self.actual[name]) + self.noise

    @cached_property
    def differing(self) -> list[str]:
        """The variables whose gradients differ, among those that both sides have."""
        both = [name for name in self.expected if name in self.actual]
        return [name for name in both if apart(self.expected[name], self.actual[name]) > self.allowed(name)]

    def same_start(self, name: str) -> bool:
        """Whether both sides began the step with the same value of a variable, and have it after the step."""
        views = (self.original, self.migrated)
        return all(name in view.changes for view in views) and (
            relative(self.original.before[name], self.migrated.before[name]) <= ROUNDING
        )


class Evidence:
    """The evidence from which mistakes are recognised.

    Args:
        original, migrated: the recordings; steps that only one of them has are left out.
    """

    def __init__(self, original: Recording, migrated: Recording) -> None:
        both = list(zip(original.steps, migrated.steps, strict=False))
        seen = [len(of_towers) for step, _ in both[:1] for of_towers in (step.losses, step.tower_gradients)]
        self.towers = max([original.facts.towers, 1, *seen])
        shapes = _shapes(original) | _shapes(migrated)
        self.pairs = [
            Pair(index, View(step, shapes), View(match, shapes)) for index, (step, match) in enumerate(both)
        ]
        self.comparable = [pair for pair in self.pairs if pair.comparable]

    @cached_property
    def gradients_differ(self) -> bool:
        """Whether any gradients differ in a step that both sides began with equal weights and inputs."""
        return any(pair.differing for pair in self.comparable)

    def explained(self, assumed: Callable[[Pair, str], np.ndarray | None]) -> float:
        """The part of the gradients' differences that an assumption explains.

        Args:
            assumed: the gradient of a variable in the migrated run under the assumption; where it is None once, nothing
                is explained.
        """
        explained = Explained()
        for pair in self.comparable:
            for name in pair.names:
                made = assumed(pair, name)
                if made is None:
                    return 0.0
                explained.add(pair.actual[name], made, pair.expected[name], pair.allowed(name))
        return explained.part

    def first_difference(self, names: set[str] | None = None) -> int:
        """The first step in which gradients differ; 0 where none do."""
        for pair in self.comparable:
            if set(pair.differing) & (names or set(pair.differing)):
                return pair.index
        return 0


@dataclass(frozen=True)
class Mistake:
    """A mistake, or several similar ones that one function distinguishes.

    Attributes:
        names: the names that its diagnoses may have.
        link: the link of a step that it breaks.
        recognise: returns the diagnosis, or None where the numbers do not show the mistake.
    """

    names: tuple[str, ...]
    link: Link
    recognise: Callable[[Evidence], Diagnosis | None]


def _inputs_differ(original: Step, migrated: Step) -> bool:
    first, second = original.inputs, migrated.inputs
    both = [(value, second[name]) for name, value in first.items() if name in second]
    if not both and len(first) == len(second):
        placed = zip(first.values(), second.values(), strict=True)
        both = [(value, given) for value, given in placed if value.shape == given.shape]
    return any(value.shape != given.shape or not _same(value, given) for value, given in both)


def _same(left: np.ndarray, right: np.ndarray) -> bool:
    if _numeric(left) and _numeric(right):
        return relative(left.astype(np.float64), right.astype(np.float64)) <= EQUAL
    return bool(np.array_equal(left, right))


def _numeric(array: np.ndarray) -> bool:
    return np.asarray(array).dtype.kind in "fiub"


def _as_numbers(gradients: Arrays, shapes: Shapes) -> Arrays:
    return {name: value for name, value in dense(gradients, shapes).items() if _numeric(value)}


def _part(array: np.ndarray) -> np.ndarray:
    """The examined elements of an array: evenly spread, the same for a variable, its gradient and its slots."""
    vector = np.asarray(array).reshape(-1)
    return vector[:: max(1, -(-vector.size // LIMIT))].astype(np.float64)


def _shapes(recording: Recording) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for step in recording.steps[:1]:
        for arrays in (step.after, step.variables):
            found |= {name: value.shape for name, value in arrays.items()}
    return found
