"""The curves of a comparison: what is drawn, whoever draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tf2towers.sidebyside.side import Side
from tf2towers.sidebyside.summary import Summary

Points = list[tuple[int, float]]


@dataclass(frozen=True)
class Picture:
    """Two curves over the steps, (step, value) points each, by title."""

    name: str  # of its file
    title: str
    y: str  # what the vertical axis says
    curves: tuple[tuple[str, Points], ...]
    from_zero: bool = False


def pictures(sides: Sequence[Side], summary: Summary) -> list[Picture]:
    """Loss and throughput. Throughput leaves out the first step, and steps that were held."""
    losses = tuple(
        (side.title, [(s.number, s.loss) for s in side.steps if s.loss is not None]) for side in sides
    )
    rates = []
    for side, numbers in zip(sides, (summary.legacy, summary.modern), strict=True):
        each = numbers.examples if summary.unit == "examples" and numbers.examples else 1
        points = [(s.number, each / s.seconds) for s in side.steps[1:] if not s.interrupted and s.seconds > 0]
        rates.append((side.title, points))
    return [
        Picture("loss", "Loss", "loss", losses),
        Picture("throughput", "Throughput", f"{summary.unit} a second", tuple(rates), from_zero=True),
    ]
