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
    one, two = _values(original), _values(migrated)
    for kind in one:
        own, others, of_tower = one[kind], two[kind], kind in ("loss", "tower gradient")
        names = dict.fromkeys([*own, *others])
        if kind == "input":  # an unused input shows in later values
            names = dict.fromkeys(others)
        elif kind == "tower gradient" and not (own and others):
            continue
        for name in names:
            yield kind, name, own.get(name), _times(others.get(name), share if of_tower else 1)


def _values(step: Step) -> dict[Kind, Arrays]:
    of_towers = [(f"tower {tower}", arrays) for tower, arrays in enumerate(step.tower_gradients)]
    return {
        "input": step.inputs,
        "loss": {f"tower {tower}": loss for tower, loss in enumerate(step.losses)},
        "tower gradient": {
            f"{tower}: {name}": value for tower, arrays in of_towers for name, value in arrays.items()
        },
        "gradient": step.gradients,
        "variable": step.after,
    }


def _times(value: np.ndarray | None, share: int) -> np.ndarray | None:
    return (
        value if value is None or share == 1 or value.dtype.kind != "f" else value * value.dtype.type(share)
    )
