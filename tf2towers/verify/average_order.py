"""Moving averages that TF1 computes in an order of its own: judged by what the migrated program's order makes of them.

`tf.group(opt.apply_gradients(grads), averages.apply(variables))`, as the CIFAR-10 tutorial has it, puts no order
between the two: each average, and its `num_updates`, may be made of what was there before the step or of what is there
after it. The migrated program has one of these orders, and is right with each. So it is in a cluster, whatever the
graph says: variables of another process are read, and sent, when the step begins.

Synchronous workers on parameter servers share a batch norm's moving mean, and each moves it towards the mean of its own
batch, one after the other as it happens: so many times a step as there are workers. The migrated workers each move a
copy, and keep the mean of the copies.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from tf2towers.verify.recording import Arrays, Step

Averages = Mapping[str, Mapping[str, Any]]  # of `Facts.unordered_averages`


class Order:
    """Takes for such an average what the order makes of it that is nearest to the migrated program's value.

    Args:
        averages: by name; 'of' the variable with this name, with this 'decay' and 'num_updates' (a variable's name).

    Attributes:
        other: the names of those that the original has made in another order than the migrated program.
        shared: of those that each of several workers has moved.
    """

    def __init__(self, averages: Averages) -> None:
        self._averages = averages
        self.other: set[str] = set()
        self.shared: set[str] = set()

    def of(self, original: Iterable[Step], migrated: Iterable[Step]) -> Iterator[Step]:
        """The original's steps; what they have in `after` is that of the migrated program's order."""
        others = iter(migrated)
        for step in original:
            other = next(others, None)
            yield step if other is None else self._nearest(step, other)

    def _nearest(self, step: Step, other: Step) -> Step:
        after = dict(step.after)
        for name, average in self._averages.items():
            if (start := _start(name, step, other)) is not None:
                possible = _possible(step, start, average) if _is_moved(step, name, average) else [start]
                self._take(name, possible, other, after, self.other)
        for name in _shared(step) - set(self._averages):
            if (start := _start(name, step, other)) is not None:
                self._take(name, [_mean_of_workers(step, name, start)], other, after, self.shared)
        return dataclasses.replace(step, after=after)

    def _take(
        self, name: str, possible: Iterable[np.ndarray], other: Step, after: Arrays, taken: set[str]
    ) -> None:
        its = other.after[name]
        distance = _apart(after[name], its)
        for value in possible:
            if _apart(value, its) < distance:
                distance, after[name] = _apart(value, its), value
                taken.add(name)


def _start(name: str, step: Step, other: Step) -> np.ndarray | None:
    """What the average is before the migrated program's step; None where it cannot be compared."""
    its, mine = other.after.get(name), step.after.get(name)
    start = other.variables.get(name, step.variables.get(name))  # one that the first step makes starts alike
    if its is None or mine is None or start is None or not its.shape == mine.shape == start.shape:
        return None
    return start


def _shared(step: Step) -> set[str]:
    """The averages that each of several workers has moved."""
    if len(step.moved_to) < 2 or len(step.moved_to) != len(step.rates):
        return set()
    return set.intersection(
        *(set(moved) & set(rates) for moved, rates in zip(step.moved_to, step.rates, strict=True))
    )


def _mean_of_workers(step: Step, name: str, start: np.ndarray) -> np.ndarray:
    copies = [
        start - (start - moved[name]) * rates[name].astype(start.dtype)
        for moved, rates in zip(step.moved_to, step.rates, strict=True)
    ]
    return sum(copies[1:], copies[0]) / np.asarray(len(copies), start.dtype)


def _is_moved(step: Step, name: str, average: Mapping[str, Any]) -> bool:
    """Whether the original's step is one that moves the average: in a cluster it may be the chief's steps alone."""
    start, mine = step.variables.get(name), step.after[name]
    if start is None or not np.array_equal(start, mine):
        return True
    return any(np.array_equal(possible, mine) for possible in _possible(step, start, average))


def _apart(left: np.ndarray, right: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        found = float(np.max(np.abs(left.astype(np.float64) - right), initial=0.0))
    return found if np.isfinite(found) else float("inf")


def _possible(step: Step, start: np.ndarray, average: Mapping[str, Any]) -> Iterator[np.ndarray]:
    """What TF1's `moving_averages.assign_moving_average` may make of an average; in float32, as it does."""
    sides = (step.after, step.variables)
    for values, counts in product(sides, sides):
        value = values.get(average["of"])
        if value is not None and value.shape == start.shape:
            rate = (np.float32(1.0) - _decay(average, counts)).astype(start.dtype)
            yield start - (start - value) * rate


def _decay(average: Mapping[str, Any], counts: Arrays) -> np.float32:
    decay = np.float32(average["decay"])
    if average.get("num_updates") in counts:
        count = counts[average["num_updates"]].astype(np.float32)
        decay = np.float32(min(decay, (np.float32(1.0) + count) / (np.float32(10.0) + count)))
    return decay
