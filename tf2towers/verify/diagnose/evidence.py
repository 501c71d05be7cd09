"""Two recordings side by side, as flat vectors, and the differences that count as rounding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from tf2towers.verify.comparison import furthest, largest_of
from tf2towers.verify.recording import Arrays, Recording, Step, dense

Vectors = dict[str, np.ndarray]  # name -> float64, one dimension

EQUAL = 1e-4  # of the largest element: far more than rounding (TF 1.15 against 2.21: 1e-5)
NOISE = 1e-6  # of the step's largest gradient: at most this is rounding, as for a bias before batch-norm
ROUNDING = 8 * float(np.finfo(np.float32).eps)  # of a weight: the precision of its update
LIMIT = 1 << 12  # the largest number of elements of a variable that are examined


def largest(*vectors: np.ndarray) -> float:
    """The greatest absolute value of any finite element; 0 where there is none."""
    return max(map(largest_of, vectors), default=0.0)


def relative(left: np.ndarray, right: np.ndarray) -> float:
    """The greatest absolute difference, relative to the largest element."""
    return furthest(left, right) / (largest(left, right) or 1.0)


def fitted(columns: Iterable[np.ndarray], targets: Iterable[np.ndarray]) -> float:
    """The factor that makes `columns` closest to `targets`; 0 where they are 0. Only finite elements count."""
    column, target = (np.concatenate([np.zeros(0), *vectors]) for vectors in (columns, targets))
    finite = np.isfinite(column) & np.isfinite(target)
    scale = largest(column[finite])
    if not scale:
        return 0.0
    of, to = column[finite] / scale, target[finite]
    return float(np.dot(of, to) / np.dot(of, of) / scale)


class Gradients:
    """Gradients by variable: at most `LIMIT` elements of each, and the norms of the whole gradients."""

    def __init__(self, arrays: Arrays) -> None:
        self.vectors = {name: _part(array) for name, array in arrays.items()}
        self.norms = {name: float(np.linalg.norm(array.astype(np.float64))) for name, array in arrays.items()}

    def size(self, form: str, names: Sequence[str]) -> float:
        """The size that a clipping threshold is compared with: the norm of all together, or the greatest element."""
        if form == "value":
            return max(largest(self.vectors[name]) for name in names)
        return float(np.sqrt(sum(self.norms[name] ** 2 for name in names)))


class View:
    """One side's values of a step, as vectors.

    Attributes:
        before, after: the variables. changes: how the step changed those that exist before and after.
        gradients: those that the optimizer was given. towers: those that each tower computed. mean: their mean, for the
            variables that all towers have.
    """

    def __init__(self, step: Step, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.before, self.after = (
            {name: _part(array) for name, array in arrays.items() if _numeric(array)}
            for arrays in (step.variables, step.after)
        )
        self.changes = {
            name: after - self.before[name]
            for name, after in self.after.items()
            if name in self.before and self.before[name].shape == after.shape
        }
        self.gradients = Gradients(_numbers(step.gradients, shapes))
        towers = [_numbers(arrays, shapes) for arrays in step.tower_gradients]
        self.towers = [Gradients(arrays) for arrays in towers]
        self.mean = Gradients(
            {
                name: np.mean([tower[name].astype(np.float64) for tower in towers], axis=0)
                for name, array in (towers[0] if towers else {}).items()
                if all(name in tower and tower[name].shape == array.shape for tower in towers)
            }
        )


class Pair:
    """The same step of both sides.

    Attributes:
        expected, actual: the gradients that the original applies, and those that the migrated script applies.
        names: the variables that both sides have gradients for, of one shape.
        comparable: whether both sides began the step with equal weights and inputs.
    """

    def __init__(self, index: int, steps: tuple[Step, Step], shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.index = index
        self.original, self.migrated = (View(step, shapes) for step in steps)
        self.expected, self.actual = self.original.gradients.vectors, self.migrated.gradients.vectors
        both = [name for name in self.expected if name in self.actual]
        self.names = [name for name in both if self.expected[name].shape == self.actual[name].shape]
        weights = [name for name in self.expected if name in self.original.before]
        self.comparable = all(map(self.same_start, weights)) and _same_inputs(*steps)

    def same_start(self, name: str) -> bool:
        """True if both sides began the step with the same value of a variable, where both have it."""
        left, right = self.original.before.get(name), self.migrated.before.get(name)
        return left is None or right is None or relative(left, right) <= ROUNDING

    @cached_property
    def noise(self) -> float:
        """The size up to which gradients count as rounding."""
        return NOISE * largest(*self.expected.values(), *self.actual.values())

    def is_near(self, name: str, left: np.ndarray, right: np.ndarray) -> bool:
        """True if two gradients of a variable are equal within rounding."""
        allowed = EQUAL * largest(self.expected[name], self.actual[name]) + self.noise
        return furthest(left, right) <= allowed

    @cached_property
    def differing(self) -> list[str]:
        """The variables whose gradients differ, among those that both sides have."""
        return [name for name in self.names if not self.is_near(name, self.actual[name], self.expected[name])]


class Evidence:
    """The evidence from which mistakes are recognised: the steps that both sides began alike.

    Args:
        original, migrated: the recordings; steps that only one of them has are left out.
    """

    def __init__(self, original: Recording, migrated: Recording) -> None:
        self.towers = max([original.facts.towers, 1, *(len(step.losses) for step in original.steps[:1])])
        shapes = {
            name: value.shape
            for recording in (original, migrated)
            for step in recording.steps[:1]
            for name, value in {**step.after, **step.variables}.items()
        }
        both = enumerate(zip(original.steps, migrated.steps, strict=False))
        pairs = [Pair(index, steps, shapes) for index, steps in both]
        self.pairs = [pair for pair in pairs if pair.comparable]

    def explained_by(self, made: Callable[[Pair, str], np.ndarray | None]) -> bool:
        """True if a mistake explains every gradient of every step.

        Args:
            made: a variable's gradient in the migrated script if it has the mistake; None where that cannot be said.
        """
        made_each = ((pair, name, made(pair, name)) for pair in self.pairs for name in pair.names)
        return all(
            value is not None and pair.is_near(name, pair.actual[name], value)
            for pair, name, value in made_each
        )

    @property
    def first_difference(self) -> int:
        """The first step in which gradients differ; 0 where none do."""
        return next((pair.index for pair in self.pairs if pair.differing), 0)


def _same_inputs(original: Step, migrated: Step) -> bool:
    first, second = original.inputs, migrated.inputs
    both = [(value, second[name]) for name, value in first.items() if name in second]
    if not both and len(first) == len(second):
        placed = zip(first.values(), second.values(), strict=True)
        both = [(value, given) for value, given in placed if value.shape == given.shape]
    return all(value.shape == given.shape and _same(value, given) for value, given in both)


def _same(left: np.ndarray, right: np.ndarray) -> bool:
    if _numeric(left) and _numeric(right):
        return relative(left.astype(np.float64), right.astype(np.float64)) <= EQUAL
    return bool(np.array_equal(left, right))


def _numeric(array: np.ndarray) -> bool:
    return np.asarray(array).dtype.kind in "fiub"


def _numbers(gradients: Arrays, shapes: Mapping[str, tuple[int, ...]]) -> Arrays:
    return {name: value for name, value in dense(gradients, shapes).items() if _numeric(value)}


def _part(array: np.ndarray) -> np.ndarray:
    """The examined elements of an array: evenly spread, the same for a variable, its gradient and its slots."""
    vector = np.asarray(array).reshape(-1)
    return vector[:: max(1, -(-vector.size // LIMIT))].astype(np.float64)
