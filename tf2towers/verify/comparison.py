"""What counts as equal, and the comparison of one value over all steps or calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from tf2towers.report.parity_result import Comparison, Kind, Outcome


class NotComparable(Exception):
    """One of the runs is without steps, or its number of steps differs from the other's."""


@dataclass
class Tolerances:
    """Differences that count as equal, relative to the largest element; 0: every bit counts.

    Attributes:
        gradients: for all but variables.
        moves: whether a variable's difference is relative to how far it has moved, and norms are judged as well as
            largest elements: a mistake that is small beside the weights, or the largest gradient, is a difference then.
    """

    gradients: float = 0.0
    variables: float = 0.0
    moves: bool = False

    def of(self, kind: Kind) -> float:
        """The tolerance for values of one kind."""
        return self.variables if kind == "variable" else self.gradients


#: The order of a sum: an all-reduce adds more than two towers in another order than concat and reduce_mean. At 4 and 8
#: towers this is 1.5e-7 of the largest element, and updates carry it on.
#: The keys: whether each step starts from the original's variables; otherwise differences add up over the steps.
SUM_ORDER = {True: Tolerances(1e-6, 1e-6), False: Tolerances(1e-5, 1e-5)}
#: Another TensorFlow: its kernels round differently. Between 1.15 and 2.21, 2e-6 of the largest element for this
#: project's network.
OTHER_TENSORFLOW = Tolerances(1e-5, 1e-4, moves=True)


def tolerances(
    given: float | None, tensorflows: tuple[str, str], towers: int, lockstep: bool
) -> tuple[Tolerances, str]:
    """The tolerances, and the named rule for them; the rule is empty where every bit counts, or the user gave them.

    Args:
        given: the user's tolerance, if any.
        tensorflows: the versions of the original and of the migrated program.
        towers: the number of towers that may be summed in any order.
        lockstep: whether each step starts from the original's variables.
    """
    if given is not None:
        return Tolerances(given, given), ""
    if tensorflows[0] != tensorflows[1]:
        other = OTHER_TENSORFLOW
        return other, (
            f"rule 'another TensorFlow' ({tensorflows[0]} and {tensorflows[1]}): kernels round differently; variables "
            f"within {other.variables:g} of how far they move, all else within {other.gradients:g} of the largest "
            "element"
        )
    if towers > 2:
        order = SUM_ORDER[lockstep]
        return order, (
            f"rule 'order of the sum': {towers} towers are added up in another order than in TF1; within "
            f"{order.gradients:g} of the largest element. With --tower-order they are added as in TF1: then every bit "
            "must be equal"
        )
    return Tolerances(), ""


def outcome_of(comparisons: Iterable[Comparison]) -> Outcome:
    """The outcome of all comparisons together."""
    found = list(comparisons)
    if all(comparison.bitwise for comparison in found):
        return "bitwise"
    return "within" if all(comparison.within for comparison in found) else "differs"


@dataclass
class Series:
    """The comparison of one value over all steps; see `Comparison` for its attributes."""

    shape: tuple[int, ...] = ()
    dtype: str = ""
    problem: str = ""
    differences: dict[int, float] = field(default_factory=dict)

    @classmethod
    def like(cls, original: np.ndarray | None, migrated: np.ndarray | None) -> Series:
        """An empty series for values of this shape and type."""
        value = original if original is not None else migrated
        return cls() if value is None else cls(value.shape, str(value.dtype))

    def add(self, step: int, original: np.ndarray | None, migrated: np.ndarray | None) -> float:
        """Compares the values of one step. Returns their difference, relative to the largest element."""
        if equal(original, migrated):
            return 0.0
        problem = _problem(original, migrated)
        self.problem = self.problem or problem
        if original is None or migrated is None or problem:
            relative = float("inf")
        else:
            relative = relative_difference(original, migrated)
        self.differences[step] = relative
        return relative

    @property
    def most(self) -> float:
        """The largest difference."""
        return max(self.differences.values(), default=0.0)

    def comparison(self, kind: Kind, name: str, within: bool, rounding: bool = False) -> Comparison:
        """The result over all steps.

        Args:
            within: whether the differences are within the tolerance.
            rounding: whether those that are not count as rounding.
        """
        within = within and not self.problem
        return Comparison(
            kind, name, self.problem, not self.differences, within or rounding, min(self.differences, default=None),
            self.most, self.shape, self.dtype, rounding and not within, self.differences,
        )  # fmt: skip


def _problem(original: np.ndarray | None, migrated: np.ndarray | None) -> str:
    """Why two values cannot be subtracted; empty if they can."""
    if original is None or migrated is None:
        return "only in the migrated run" if original is None else "only in the original"
    if original.shape != migrated.shape:
        return f"shape {list(original.shape)} against {list(migrated.shape)}"
    return "" if original.dtype == migrated.dtype else f"dtype {original.dtype} against {migrated.dtype}"


def relative_difference(original: np.ndarray, migrated: np.ndarray) -> float:
    """How far two arrays are apart (`furthest`), by the original's largest finite element."""
    apart, largest = furthest(original, migrated), largest_of(original)
    return apart / largest if largest else (float("inf") if apart else 0.0)


def furthest(original: np.ndarray, migrated: np.ndarray) -> float:
    """The greatest difference of two arrays' elements.

    It is infinite where their shapes differ, or an element is NaN or infinite, and not the same in both.
    """
    if original.shape != migrated.shape:
        return float("inf")
    apart = difference(original, migrated)
    return float(np.max(apart, initial=0.0)) if np.isfinite(apart).all() else float("inf")


def difference(original: np.ndarray, migrated: np.ndarray) -> np.ndarray:
    """How far the elements of two arrays of one shape are apart, in float64; 0 for two NaN, or equal infinities."""
    wide = np.complex128 if original.dtype.kind == "c" else np.float64
    left, right = original.astype(wide), migrated.astype(wide)
    with np.errstate(all="ignore"):
        return np.where((left == right) | (np.isnan(left) & np.isnan(right)), 0.0, np.abs(left - right))


def largest_of(value: np.ndarray) -> float:
    """The size of the largest finite element."""
    return float(np.max(np.abs(value, dtype=np.float64), initial=0.0, where=np.isfinite(value)))


def equal(left: np.ndarray | None, right: np.ndarray | None) -> bool:
    """True if two values are present, of one type and shape, and equal; a NaN equals a NaN."""
    if left is None or right is None or left.shape != right.shape or left.dtype != right.dtype:
        return False
    return np.array_equal(left, right, equal_nan=left.dtype.kind in "fc")
