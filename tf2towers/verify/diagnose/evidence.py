"""Two recordings side by side, as flat vectors, and how much of their difference an assumption explains."""

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
NOISE = 1e-6  # of the step's largest gradient: a gradient that is nothing but rounding, as of a bias before batch-norm
ROUNDING = 8 * float(np.finfo(np.float32).eps)  # of a weight: what its update is known to
ENOUGH = 0.8  # the part of a difference that an assumption must explain
LIMIT = 1 << 12  # elements of one variable that are looked at
SHADOW = "/ExponentialMovingAverage"

#: the links of a step's chain, in its order: one broken link is one diagnosis
Link = Literal["gradients", "update", "statistics", "moving average"]


# -- vectors -----------------------------------------------------------------------------------------------------------


def largest(*vectors: np.ndarray) -> float:
    """The greatest absolute value of any finite element; 0 where there is none."""
    sizes = (np.max(np.abs(vector[np.isfinite(vector)]), initial=0.0) for vector in vectors)
    return max(map(float, sizes), default=0.0)


def apart(left: np.ndarray, right: np.ndarray) -> float:
    """The greatest absolute difference; infinity for another shape, or a NaN or infinity that one side alone has."""
    if left.shape != right.shape:
        return float("inf")
    finite = np.isfinite(left) & np.isfinite(right)
    strange = ~finite & ~((left == right) | (np.isnan(left) & np.isnan(right)))
    return float("inf") if strange.any() else largest(left[finite] - right[finite])


def relative(left: np.ndarray, right: np.ndarray) -> float:
    """The difference that `apart` gives, relative to the largest element."""
    difference = apart(left, right)
    return 0.0 if difference == 0.0 else difference / (largest(left, right) or 1.0)


def fitted(column: np.ndarray, target: np.ndarray) -> float | None:
    """The number by which a vector comes nearest to another; None where any does. Only finite elements count."""
    finite = np.isfinite(column) & np.isfinite(target)
    scale = largest(column[finite])
    if not scale:
        return None
    of, to = column[finite] / scale, target[finite]
    return float(np.dot(of, to) / np.dot(of, of) / scale)


def joined(vectors: Iterable[np.ndarray]) -> np.ndarray:
    """All vectors one after the other, as one."""
    return np.concatenate([np.zeros(0), *vectors])


def scaled(vectors: Iterable[np.ndarray], allowed: Iterable[float]) -> np.ndarray:
    """One vector of all, each by how far it may be off."""
    return joined(vector / (off or 1.0) for vector, off in zip(vectors, allowed, strict=True))


def rounded(number: float) -> str:
    """A number for a sentence: three digits."""
    return f"{number:.3g}"


class Explained:
    """Adds up, element by element, what an assumption leaves of a difference.

    Each vector counts by what it may be off (`allowed`), so that large variables do not outweigh small ones.
    """

    def __init__(self) -> None:
        self._left = self._difference = 0.0
        self.holds = True

    def add(self, actual: np.ndarray, assumed: np.ndarray, otherwise: np.ndarray, allowed: float) -> None:
        """`actual` values, those under the assumption, and those without it."""
        finite = np.isfinite(actual) & np.isfinite(assumed) & np.isfinite(otherwise)
        left, difference = actual[finite] - assumed[finite], actual[finite] - otherwise[finite]
        scale = allowed or 1.0
        self.holds = self.holds and largest(left) <= allowed
        self._left += float(np.sum((left / scale) ** 2))
        self._difference += float(np.sum((difference / scale) ** 2))

    @property
    def part(self) -> float:
        """The part explained; 0 where that is not `ENOUGH`, or the assumption does not hold everywhere."""
        if not self.holds or not self._difference or not np.isfinite(self._left + self._difference):
            return 0.0
        part = 1.0 - float(np.sqrt(self._left / self._difference))
        return part if part >= ENOUGH else 0.0


# -- steps -------------------------------------------------------------------------------------------------------------


class Gradients:
    """Gradients by variable: at most `LIMIT` elements of each, and the length of all of them."""

    def __init__(self, arrays: Arrays) -> None:
        self.vectors = {name: _part(array) for name, array in arrays.items()}
        self.norms = {name: float(np.linalg.norm(array.astype(np.float64))) for name, array in arrays.items()}

    def size(self, form: str, names: Sequence[str]) -> float:
        """What a clipping threshold is compared with: the length of these together, or their greatest element."""
        if form == "value":
            return max(float(np.max(np.abs(self.vectors[name]), initial=0.0)) for name in names)
        return float(np.sqrt(sum(self.norms[name] ** 2 for name in names)))


class View:
    """One side's step.

    Attributes:
        before, after: the variables. changes: what the step made of those that are there before and after.
        gradients: what the optimizer was given. towers: what each tower computed. mean: of those that all have.
        losses: one value a tower.
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

    `comparable`: both began it with the same weights and the same inputs, so that what differs was made in it.
    """

    def __init__(self, index: int, original: View, migrated: View) -> None:
        self.index, self.original, self.migrated = index, original, migrated
        self.mine, self.its = original.gradients.vectors, migrated.gradients.vectors
        weights = [name for name in self.mine if name in original.before and name in migrated.before]
        apart = (relative(original.before[name], migrated.before[name]) for name in weights)
        self.comparable = max(apart, default=0.0) <= ROUNDING and not _inputs_differ(
            original.step, migrated.step
        )

    @property
    def names(self) -> Iterator[str]:
        """The variables whose gradients both sides have, of the same size."""
        return (
            name for name in self.mine if name in self.its and self.mine[name].shape == self.its[name].shape
        )

    @cached_property
    def noise(self) -> float:
        """The size below which gradients are taken for rounding."""
        return NOISE * largest(*self.mine.values(), *self.its.values())

    def allowed(self, name: str) -> float:
        """How far the gradients of a variable may be apart."""
        return EQUAL * largest(self.mine[name], self.its[name]) + self.noise

    @cached_property
    def differing(self) -> list[str]:
        """The variables whose gradients do not agree; those of one side alone are not among them."""
        both = [name for name in self.mine if name in self.its]
        return [name for name in both if apart(self.mine[name], self.its[name]) > self.allowed(name)]

    def same_start(self, name: str) -> bool:
        """Whether both sides began the step with one value of a variable, and changed or kept it."""
        views = (self.original, self.migrated)
        return all(name in view.changes for view in views) and (
            relative(self.original.before[name], self.migrated.before[name]) <= ROUNDING
        )


class Evidence:
    """All that the mistakes are recognised by.

    Args:
        original, migrated: the recordings; steps that only one has are left out.
    """

    def __init__(self, original: Recording, migrated: Recording) -> None:
        both = list(zip(original.steps, migrated.steps, strict=False))
        seen = [len(of_towers) for step, _ in both[:1] for of_towers in (step.losses, step.tower_gradients)]
        self.towers = max([original.facts.towers, 1, *seen])
        shapes = _shapes(original) | _shapes(migrated)
        self.pairs = [
            Pair(index, View(step, shapes), View(its, shapes)) for index, (step, its) in enumerate(both)
        ]
        self.comparable = [pair for pair in self.pairs if pair.comparable]

    @cached_property
    def gradients_differ(self) -> bool:
        """Whether any gradient does, in a step that both sides began alike."""
        return any(pair.differing for pair in self.comparable)

    def explained(self, assumed: Callable[[Pair, str], np.ndarray | None]) -> float:
        """The part of the gradients' differences that an assumption explains.

        Args:
            assumed: what it makes of a variable's gradient in the migrated run; None: it says nothing, and explains
                nothing at all.
        """
        explained = Explained()
        for pair in self.comparable:
            for name in pair.names:
                made = assumed(pair, name)
                if made is None:
                    return 0.0
                explained.add(pair.its[name], made, pair.mine[name], pair.allowed(name))
        return explained.part

    def first_difference(self, names: set[str] | None = None) -> int:
        """The first step in which gradients differ; 0 where none do."""
        for pair in self.comparable:
            if set(pair.differing) & (names or set(pair.differing)):
                return pair.index
        return 0


@dataclass(frozen=True)
class Mistake:
    """A mistake, or a family of them that the same numbers distinguish.

    Attributes:
        names: those that its diagnoses may have.
        link: where in a step it is made.
        recognise: the diagnosis, or None where the numbers do not show it.
    """

    names: tuple[str, ...]
    link: Link
    recognise: Callable[[Evidence], Diagnosis | None]


def _inputs_differ(original: Step, migrated: Step) -> bool:
    mine, its = original.inputs, migrated.inputs
    both = [(value, its[name]) for name, value in mine.items() if name in its]
    if not both and len(mine) == len(its):
        placed = zip(mine.values(), its.values(), strict=True)
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
    """What is looked at of an array: elements spread evenly, the same of a variable, its gradient and its slots."""
    vector = np.asarray(array).reshape(-1)
    return vector[:: max(1, -(-vector.size // LIMIT))].astype(np.float64)


def _shapes(recording: Recording) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for step in recording.steps[:1]:
        for arrays in (step.after, step.variables):
            found |= {name: value.shape for name, value in arrays.items()}
    return found
