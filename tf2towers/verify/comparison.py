"""Compares two recordings: every input, loss, gradient and variable by name, in every step."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np

from tf2towers.report.parity_result import Comparison, Kind, Outcome
from tf2towers.verify.recorder.variables import belongs_to
from tf2towers.verify.recording import Arrays, Step


class NotComparable(Exception):
    """One of the runs is without steps, or its number of steps differs from the other's."""


@dataclass
class Tolerances:
    """Differences that count as equal, relative to the largest element of a step; 0: every bit counts.

    Attributes:
        gradients: for all but variables.
        still: where given, the norm of a difference is judged as well as its largest element, and a variable's
            difference by how far it has moved and by this part of it. So a mistake that is small beside the weights, or
            beside the largest gradient, is no rounding.
    """

    gradients: float = 0.0
    variables: float = 0.0
    still: float | None = None

    def of(self, kind: Kind) -> float:
        """The tolerance for values of one kind."""
        return self.variables if kind == "variable" else self.gradients


#: The order of a sum: an all-reduce adds more than two towers in another order than concat and reduce_mean. At 4 and 8
#: towers this is 1.5e-7 of the largest element, and updates carry it on.
#: Another TensorFlow: its kernels round differently. Between 1.15 and 2.21, 2e-6 of the largest element for this
#: project's network. An update that divides by a gradient's own size (Adam, RMSProp) magnifies it where that is near 0.
#: A variable that has not moved may differ by 1e-5 of its largest element, in one step by 1e-6: 16 units of float32.
#: The keys: whether each step starts from the original's variables; otherwise differences add up over the steps.
SUM_ORDER = {True: Tolerances(1e-6, 1e-6), False: Tolerances(1e-5, 1e-5)}
_OTHER_TENSORFLOW = {True: Tolerances(1e-5, 1e-3, 1e-3), False: Tolerances(1e-4, 1e-3, 1e-2)}


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
        other = _OTHER_TENSORFLOW[lockstep]
        return other, (
            f"rule 'another TensorFlow' ({tensorflows[0]} and {tensorflows[1]}): kernels round differently; variables "
            f"within {other.variables:g} of how far they move and {other.variables * (other.still or 0):g} of their "
            f"largest element, all else within {other.gradients:g} of that"
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

    def add(
        self,
        step: int,
        original: np.ndarray | None,
        migrated: np.ndarray | None,
        by: np.ndarray | None = None,
    ) -> float:
        """Compares the values of one step. Returns their difference; for `by` see `relative_difference`."""
        if equal(original, migrated):
            return 0.0
        problem = _problem(original, migrated)
        self.problem = self.problem or problem
        if original is None or migrated is None or problem:
            relative = float("inf")
        else:
            relative = relative_difference(original, migrated, by)
        self.differences[step] = relative
        return relative

    def comparison(self, kind: Kind, name: str, tolerance: float, noise: bool = False) -> Comparison:
        """The result over all steps; with `noise`, a difference outside the tolerance counts as rounding."""
        most = max(self.differences.values(), default=0.0)
        within = not self.problem and most <= tolerance
        return Comparison(
            kind, name, self.problem, not self.differences, within or noise, min(self.differences, default=None),
            most, self.shape, self.dtype, noise and not within, self.differences,
        )  # fmt: skip


def _problem(original: np.ndarray | None, migrated: np.ndarray | None) -> str:
    """Why two values cannot be subtracted; empty if they can."""
    if original is None or migrated is None:
        return "only in the migrated run" if original is None else "only in the original"
    if original.shape != migrated.shape:
        return f"shape {list(original.shape)} against {list(migrated.shape)}"
    return "" if original.dtype == migrated.dtype else f"dtype {original.dtype} against {migrated.dtype}"


def relative_difference(original: np.ndarray, migrated: np.ndarray, by: np.ndarray | None = None) -> float:
    """The greatest difference of two arrays of one shape by the original's largest element; infinite for a NaN.

    Args:
        by: sizes by whose largest the difference is divided instead; its norm by theirs, where that is more.
    """
    with np.errstate(all="ignore"):
        wide = np.complex128 if original.dtype.kind == "c" else np.float64
        own = original.astype(wide)
        apart = np.abs(own - migrated.astype(wide))
        if not np.isfinite(apart).all():
            return float("inf")
        sizes = [largest_of] if by is None else [largest_of, norm_of]
        pairs = [(size(apart), size(np.abs(own) if by is None else by)) for size in sizes]
    return max(off / of if of else (float("inf") if off else 0.0) for off, of in pairs)


def largest_of(value: np.ndarray) -> float:
    """The size of the largest finite element."""
    return float(np.max(np.abs(value), initial=0.0, where=np.isfinite(value)))


def norm_of(value: np.ndarray) -> float:
    """The square root of the sum of the squares of the finite elements."""
    return float(np.sqrt(np.sum(np.square(np.abs(value), dtype=np.float64), where=np.isfinite(value))))


def sizes_of(
    limits: Tolerances, kind: Kind, began: np.ndarray | None, now: np.ndarray | None
) -> np.ndarray | None:
    """What a difference from the original's value `now` is judged by; None where that is its largest element."""
    if limits.still is None or now is None or now.dtype.kind not in "fc":
        return None
    if kind != "variable":
        return np.abs(now)
    moved = np.abs(now - began) if began is not None and began.shape == now.shape else 0.0
    return np.asarray(moved + limits.still * np.abs(now))


def is_of(kind: Kind, key: str, names: Collection[str]) -> bool:
    """True if a value is one of these variables, or a gradient, a slot, an average or a summary of one."""
    of_variables = kind in ("gradient", "tower gradient", "variable", "summary")
    return of_variables and belongs_to(key.rpartition(": ")[2], names)


def compare(
    original: Iterable[Step],
    migrated: Iterable[Step],
    tolerances: Tolerances | None = None,
    kinds: Iterable[Kind] = ("input", "loss", "tower gradient", "gradient", "variable"),
    share: int = 1,
    noise: Collection[str] = (),
) -> list[Comparison]:
    """The comparisons of everything that either run recorded, in the order of a step.

    Args:
        original, migrated: the steps one by one; large ones need not be in memory.
        tolerances: see `Tolerances`; by default every bit counts.
        kinds: the kinds of values to compare.
        share: each replica's loss and gradients are a TF1 tower's divided by this (see `share_of`).
        noise: variables whose gradients are only rounding: these variables, gradients and slots may differ.

    Raises:
        NotComparable: no steps were recorded, or more on one side than on the other.
    """
    series: dict[tuple[Kind, str], Series] = {}
    chosen, limits, count = set(kinds), tolerances or Tolerances(), 0
    for step, match in zip_longest(original, migrated):
        if step is None or match is None:
            less, more = (
                ("the migrated run", "the original")
                if match is None
                else ("the original", "the migrated run")
            )
            raise NotComparable(f"{less} has made {count} training steps, {more} more")
        for kind, name, value, other in pairs(step, match, share):
            if kind in chosen:
                by = sizes_of(limits, kind, step.variables.get(name), value)
                series.setdefault((kind, name), Series.like(value, other)).add(count, value, other, by)
        count += 1
    if not count:
        raise NotComparable("no training step was recorded")
    return [
        found.comparison(kind, name, limits.of(kind), is_of(kind, name, noise))
        for (kind, name), found in series.items()
    ]


def pairs(
    original: Step, migrated: Step, share: int = 1
) -> Iterator[tuple[Kind, str, np.ndarray | None, np.ndarray | None]]:
    """Yields the values of a step to compare: kind, name, the original's value and the migrated program's."""
    for name in _names(original.inputs, migrated.inputs):
        if name in migrated.inputs:  # an unused input shows in later values
            yield "input", name, original.inputs.get(name), migrated.inputs[name]
    for tower in range(max(len(original.losses), len(migrated.losses))):
        loss = _times(_at(migrated.losses, tower), share)
        yield "loss", f"tower {tower}", _at(original.losses, tower), loss
    if original.tower_gradients and migrated.tower_gradients:
        for tower in range(max(len(original.tower_gradients), len(migrated.tower_gradients))):
            one, two = _at(original.tower_gradients, tower) or {}, _at(migrated.tower_gradients, tower) or {}
            for name in _names(one, two):
                yield "tower gradient", f"tower {tower}: {name}", one.get(name), _times(two.get(name), share)
    for name in _names(original.gradients, migrated.gradients):
        yield "gradient", name, original.gradients.get(name), migrated.gradients.get(name)
    for name in _names(original.after, migrated.after):
        yield "variable", name, original.after.get(name), migrated.after.get(name)


def equal(left: np.ndarray | None, right: np.ndarray | None) -> bool:
    """True if two values are present, of one type and shape, and equal; a NaN equals a NaN."""
    if left is None or right is None or left.shape != right.shape or left.dtype != right.dtype:
        return False
    return np.array_equal(left, right, equal_nan=left.dtype.kind in "fc")


def _names(left: Arrays, right: Arrays) -> list[str]:
    return [*left, *(name for name in right if name not in left)]


def _at(values: list, place: int):  # type: ignore[no-untyped-def, type-arg]
    return values[place] if place < len(values) else None


def _times(value: np.ndarray | None, share: int) -> np.ndarray | None:
    return (
        value if value is None or share == 1 or value.dtype.kind != "f" else value * value.dtype.type(share)
    )
