"""Compares two recordings of training steps: every input, loss, gradient and variable by name, in every step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

import numpy as np

from tf2towers.report.parity_result import Comparison, Kind
from tf2towers.verify.comparison import NotComparable, Series, Tolerances
from tf2towers.verify.recording import Arrays, Step


def compare(
    original: Iterable[Step],
    migrated: Iterable[Step],
    tolerances: Tolerances | None = None,
    kinds: Iterable[Kind] = ("input", "loss", "tower gradient", "gradient", "variable"),
    share: int = 1,
) -> list[Comparison]:
    """The comparisons of everything that either run recorded, in the order of a step.

    Args:
        original, migrated: the steps one by one; large ones need not be in memory.
        tolerances: see `Tolerances`; by default every bit counts.
        kinds: the kinds of values to compare.
        share: each replica's loss and gradients are a TF1 tower's divided by this (see `share_of`).

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
        found.comparison(kind, name, found.most <= limits.of(kind)) for (kind, name), found in series.items()
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


def _names(left: Arrays, right: Arrays) -> list[str]:
    return [*left, *(name for name in right if name not in left)]


def _at(values: list, place: int):  # type: ignore[no-untyped-def, type-arg]
    return values[place] if place < len(values) else None


def _times(value: np.ndarray | None, share: int) -> np.ndarray | None:
    return (
        value if value is None or share == 1 or value.dtype.kind != "f" else value * value.dtype.type(share)
    )
