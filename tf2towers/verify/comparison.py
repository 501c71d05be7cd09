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
    """Differences that count as equal, relative to the largest element of a step; 0: every bit counts."""

    gradients: float = 0.0
    variables: float = 0.0

    def of(self, kind: Kind) -> float:
        """The tolerance for values of one kind."""
        return self.variables if kind == "variable" else self.gradients


#: The order of a sum: an all-reduce adds more than two towers in another order than concat and reduce_mean. At 4 and 8
#: towers this is 1.5e-7 of the largest element, and updates carry it on.
#: Another TensorFlow: its kernels round differently. Between 1.15 and 2.21, 2e-6 of the largest element for this
#: project's network. An update that divides by a gradient's own size (Adam, RMSProp) magnifies it where that is near 0.
#: The keys: whether each step starts from the original's variables; otherwise differences add up over the steps.
SUM_ORDER = {True: Tolerances(1e-6, 1e-6), False: Tolerances(1e-5, 1e-5)}
_OTHER_TENSORFLOW = {True: Tolerances(1e-5, 1e-3), False: Tolerances(1e-4, 1e-3)}


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
            f"within {other.variables:g} of the largest element, all else within {other.gradients:g}"
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


def relative_difference(original: np.ndarray, migrated: np.ndarray) -> float:
    """The greatest difference of two arrays of one shape by the original's largest element; infinite for a NaN."""
    with np.errstate(all="ignore"):
        wide = np.complex128 if original.dtype.kind == "c" else np.float64
        apart = np.abs(original.astype(wide) - migrated.astype(wide))
        largest = float(np.max(np.abs(original.astype(wide)), initial=0.0, where=np.isfinite(original)))
        absolute = float(np.max(apart, initial=0.0)) if np.isfinite(apart).all() else float("inf")
    return absolute / largest if largest else (float("inf") if absolute else 0.0)


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
                series.setdefault((kind, name), Series.like(value, other)).add(count, value, other)
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
