"""Moving averages that TF1 computes before or after the update of their variables, as it happens.

`tf.group(opt.apply_gradients(grads), averages.apply(variables))`, as the CIFAR-10 tutorial has it, puts no order
between the two: each average, and its `num_updates`, may be made of what was there before the step or of what is there
after it. The migrated program has one of these orders, and is right with each. So it is in a cluster, whatever the
graph says: variables of another process are read, and sent, when the step begins.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from tf2towers.parity.recording import Arrays, Step

Averages = Mapping[str, Mapping[str, Any]]  # of `Facts.unordered_averages`


class Order:
    """Takes for such an average what the order makes of it that is nearest to the migrated program's value.

    Args:
        averages: by name; 'of' the variable with this name, with this 'decay' and 'num_updates' (a variable's name).

    Attributes:
        other: the names of those that the original has made in another order than the migrated program.
    """

    def __init__(self, averages: Averages) -> None:
        self._averages = averages
        self.other: set[str] = set()

    def of(self, original: Iterable[Step], migrated: Iterable[Step]) -> Iterator[Step]:
        """The original's steps; what they have in `after` is that of the migrated program's order."""
        if not self._averages:
            yield from original
            return
        others = iter(migrated)
        for step in original:
            other = next(others, None)
            yield step if other is None else self._nearest(step, other)

    def _nearest(self, step: Step, other: Step) -> Step:
        after = dict(step.after)
        for name, average in self._averages.items():
            its, mine = other.after.get(name), step.after.get(name)
            start = other.variables.get(
                name, step.variables.get(name)
            )  # one that the first step makes starts alike
            if its is None or mine is None or start is None or not its.shape == mine.shape == start.shape:
                continue
            distance, moved = _apart(mine, its), _is_moved(step, name, average)
            for possible in _possible(step, start, average) if moved else [start]:
                if _apart(possible, its) < distance:
                    distance, after[name] = _apart(possible, its), possible
                    self.other.add(name)
        return dataclasses.replace(step, after=after)


def _is_moved(step: Step, name: str, average: Mapping[str, Any]) -> bool:
    """Whether the original's step is one that moves the average: in a cluster it may be the chief's steps alone."""
    start, mine = step.variables.get(name), step.after[name]
    if start is None or not np.array_equal(start, mine):
        return True
    return any(np.array_equal(possible, mine) for possible in _possible(step, start, average))


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        found = float(np.max(np.abs(one.astype(np.float64) - other), initial=0.0))
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
