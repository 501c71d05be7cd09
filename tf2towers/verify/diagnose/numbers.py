"""When two vectors are the same, and how much of a difference an assumption explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from tf2towers.verify.recording import Arrays, Step, dense

Vectors = dict[str, np.ndarray]  # name -> float64, one dimension

EQUAL = 1e-4  # of the largest element: far more than rounding (TF 1.15 against 2.21: 1e-5)
NOISE = 1e-6  # of the step's largest gradient: a gradient that is nothing but rounding, as of a bias before batch-norm
ROUNDING = 8 * float(np.finfo(np.float32).eps)  # of a weight: what its update is known to
ENOUGH = 0.8  # the part of a difference that an assumption must explain


def numeric(array: np.ndarray) -> bool:
    """Whether it holds real numbers."""
    return array.dtype.kind in "fiub"


def flat(array: np.ndarray) -> np.ndarray:
    """All elements as float64, one dimension."""
    return np.asarray(array).astype(np.float64).reshape(-1)


def largest(*vectors: np.ndarray) -> float:
    """The greatest absolute value of any finite element; 0 where there is none."""
    sizes = (np.max(np.abs(vector[np.isfinite(vector)]), initial=0.0) for vector in vectors)
    return max(map(float, sizes), default=0.0)


def greatest(vectors: Mapping[str, np.ndarray]) -> float:
    """The largest absolute value in a dictionary's arrays."""
    return largest(*vectors.values())


def apart(left: np.ndarray, right: np.ndarray) -> float:
    """The greatest absolute difference; infinity for another shape, or a NaN or infinity that one side alone has."""
    if left.shape != right.shape:
        return float("inf")
    finite = np.isfinite(left) & np.isfinite(right)
    strange = ~finite & ~((left == right) | (np.isnan(left) & np.isnan(right)))
    if strange.any():
        return float("inf")
    return largest(left[finite] - right[finite])


def relative(left: np.ndarray, right: np.ndarray) -> float:
    """The difference that `apart` gives, relative to the largest element."""
    difference = apart(left, right)
    return 0.0 if difference == 0.0 else difference / (largest(left, right) or 1.0)


def as_vectors(gradients: Arrays, shapes: Mapping[str, tuple[int, ...]]) -> Vectors:
    """Gradients by variable, each as one vector; what is not numbers is left out."""
    made = dense(gradients, shapes)
    return {name: value.reshape(-1) for name, value in made.items() if numeric(value)}


class Explained:
    """Adds up, element by element, what an assumption leaves of a difference.

    Each vector counts by what it may be off (`allowed`), so that large variables do not outweigh small ones.
    """

    def __init__(self) -> None:
        self._left = 0.0
        self._difference = 0.0
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


def fitted(columns: Sequence[np.ndarray], target: np.ndarray, alike: bool = False) -> np.ndarray | None:
    """The coefficients of `columns` whose sum is nearest to `target`; None where they cannot be told.

    Elements that are not finite do not count. With `alike`, columns that are zero or multiples of each other share what
    they explain: the sum is right, though the coefficients are not told apart.
    """
    matrix = np.stack(columns, axis=1)
    finite = np.isfinite(matrix).all(axis=1) & np.isfinite(target)
    matrix, target = matrix[finite], target[finite]
    scales = np.sqrt(np.sum(matrix**2, axis=0))
    if alike and np.any(scales > 0):
        scales[scales == 0] = 1.0
    if len(target) < len(columns) or not np.all(scales > 0) or not np.all(np.isfinite(scales)):
        return None
    found, _, rank, _ = np.linalg.lstsq(matrix / scales, target, rcond=1e-7)
    return np.asarray(found / scales) if alike or rank == len(columns) else None


def joined(vectors: Iterable[np.ndarray]) -> np.ndarray:
    """All vectors one after the other, as one."""
    found = list(vectors)
    return np.concatenate(found) if found else np.zeros(0)


def scaled(vectors: Iterable[np.ndarray], allowed: Iterable[float]) -> np.ndarray:
    """One vector of all, each by how far it may be off."""
    return joined(vector / (off or 1.0) for vector, off in zip(vectors, allowed, strict=True))


def least(left: Callable[[float], float], low: float, high: float, points: int, rounds: int) -> float:
    """Where a function is least between two positive numbers: on a grid in even ratios, then nearer and nearer."""
    best = high
    for _ in range(rounds):
        grid = np.geomspace(low, high, points)
        place = int(np.argmin([left(float(number)) for number in grid]))
        best, low, high = (float(grid[at]) for at in (place, max(place - 1, 0), min(place + 1, points - 1)))
    return best


def rounded(number: float) -> str:
    """A number for a sentence: three digits."""
    return f"{number:.3g}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Names for a sentence."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def differing_input(original: Step, migrated: Step) -> str | None:
    """The first input of a step that is not the same on both sides."""
    mine, its = original.inputs, migrated.inputs
    named = [(name, mine[name], its[name]) for name in mine if name in its]
    if not named and len(mine) == len(its):
        placed = zip(mine.items(), its.values(), strict=True)
        named = [(name, value, given) for (name, value), given in placed if value.shape == given.shape]
    for name, value, given in named:
        if value.shape != given.shape or not _same(value, given):
            return name
    return None


def _same(left: np.ndarray, right: np.ndarray) -> bool:
    if numeric(left) and numeric(right):
        return relative(flat(left), flat(right)) <= EQUAL
    return bool(np.array_equal(left, right))
