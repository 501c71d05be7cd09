"""Two streams of steps, value by value: equal to the bit, or how far apart and since when."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np

from tf2towers.parity.recording import Step

#: The sections of a comparison, in the order of a report.
KINDS = (
    "tower losses",
    "averaged gradients",
    "weights",
    "optimizer slots",
    "moving averages",
    "batch-norm statistics",
    "other state",
)


@dataclass
class Difference:
    """How far one value of both programs got apart, over all steps.

    Attributes:
        steps: the number of steps compared.
        first: the first step (0-based) with any bit different, or None.
        max_abs: the largest absolute difference of any element in any step; infinite where shapes differ, a value is
            missing on one side, or one side alone has a NaN.
        max_ulp: the largest difference in units in the last place of the largest element of its array.
    """

    kind: str
    name: str
    shape: tuple[int, ...]
    steps: int = 0
    first: int | None = None
    max_abs: float = 0.0
    max_ulp: float = 0.0
    missing_in: str | None = None

    @property
    def bitwise(self) -> bool:
        """Whether every bit was equal at every step."""
        return self.first is None

    def add(self, step: int, left: np.ndarray | None, right: np.ndarray | None) -> None:
        """Takes in one step's pair of values."""
        self.steps += 1
        if left is None or right is None:
            self.missing_in = "the first" if left is None else "the second"
        elif left.shape == right.shape and left.dtype == right.dtype:
            if left.tobytes() == right.tobytes():
                return
            apart = _apart(left, right)
            self.max_abs = max(self.max_abs, apart)
            self.max_ulp = max(self.max_ulp, apart / _ulp(left, right))
            self.first = step if self.first is None else self.first
            return
        self.first = step if self.first is None else self.first
        self.max_abs = self.max_ulp = float("inf")


def _apart(left: np.ndarray, right: np.ndarray) -> float:
    if not left.size:
        return 0.0
    with np.errstate(invalid="ignore"):
        apart = np.abs(left.astype(np.float64) - right.astype(np.float64))
    both = (np.isnan(left) & np.isnan(right)) | (left == right)
    return float(np.max(np.where(both, 0.0, np.where(np.isnan(apart), np.inf, apart))))


def _ulp(left: np.ndarray, right: np.ndarray) -> float:
    """A unit in the last place of the largest element; of whole numbers it is 1."""
    if not np.issubdtype(left.dtype, np.floating):
        return 1.0
    largest = np.nanmax(np.abs(np.concatenate([left.ravel(), right.ravel()])), initial=0)
    return float(np.spacing(largest)) if np.isfinite(largest) else 1.0


@dataclass
class Comparison:
    """All values of two trainings."""

    steps: int = 0
    differences: dict[tuple[str, str], Difference] = field(default_factory=dict)
    extra_steps: str | None = None

    def of(self, kind: str) -> list[Difference]:
        """One section, by name."""
        return sorted((d for d in self.differences.values() if d.kind == kind), key=lambda d: d.name)

    @property
    def bitwise(self) -> bool:
        """Whether all was equal to the bit, and there was something to compare."""
        return self.steps > 0 and self.extra_steps is None and not self.apart()

    def apart(self, *kinds: str) -> list[Difference]:
        """What is not bitwise equal, in these sections or in any."""
        return [d for d in self.differences.values() if not d.bitwise and (not kinds or d.kind in kinds)]

    def add(self, left: Step, right: Step) -> None:
        """Takes in one step of both."""
        values, others = _values(left), _values(right)
        for key in {**values, **others}:
            a, b = values.get(key), others.get(key)
            if key not in self.differences:
                shape = next(value.shape for value in (a, b) if value is not None)
                self.differences[key] = Difference(*key, shape)
            self.differences[key].add(self.steps, a, b)
        self.steps += 1


def compare(
    left: Iterable[Step], right: Iterable[Step], watch: Callable[[Comparison, Step, Step], None] | None = None
) -> Comparison:
    """Compares step with step as they come; `watch` is called after each."""
    comparison = Comparison()
    for one, other in zip_longest(left, right):
        if one is None or other is None:
            comparison.extra_steps = "the first" if other is None else "the second"
            continue
        comparison.add(one, other)
        if watch is not None:
            watch(comparison, one, other)
    return comparison


def _values(step: Step) -> dict[tuple[str, str], np.ndarray]:
    """Every value of a step under its section and name."""
    values = {("tower losses", f"tower_{tower}"): loss for tower, loss in enumerate(step.losses)}
    values |= {("averaged gradients", name): value for name, value in step.gradients.items()}
    values |= {(kind_of(name, step), name): np.asarray(value) for name, value in step.state.items()}
    return values


def kind_of(name: str, step: Step) -> str:
    """The section a variable belongs to."""
    if name in step.gradients:
        return "weights"
    if re.search(r"moving_(mean|variance)", name):
        return "batch-norm statistics"
    if name.endswith("/ExponentialMovingAverage"):
        return "moving averages"
    if any(name.startswith(weight + "/") for weight in step.gradients):
        return "optimizer slots"
    return "other state"
