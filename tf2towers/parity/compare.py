"""Two recordings held against each other, variable by variable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tf2towers.parity.recording import Recording


@dataclass(frozen=True)
class Verdict:
    """How far one thing of one kind ('gradient', 'variable', 'loss', 'final') is apart over all steps.

    `ulps` is the largest difference of any step in units in the last place of that step's largest element.
    """

    kind: str
    name: str
    bitwise: bool
    difference: float
    ulps: float

    def __str__(self) -> str:
        word = "bitwise equal" if self.bitwise else f"differs by {self.difference:.3g} ({self.ulps:.1f} ulp)"
        return f"{self.kind:9} {self.name:45} {word}"


class NotComparable(Exception):
    """The two runs do not have the same steps or the same names."""


def compare(original: Recording, migrated: Recording) -> list[Verdict]:
    """The verdict for every gradient, loss and variable that the original has.

    Raises:
        NotComparable: another number of steps, or a name that only one side has.
    """
    if len(original.steps) != len(migrated.steps):
        raise NotComparable(f"{len(original.steps)} training steps against {len(migrated.steps)}")
    if not original.steps:
        raise NotComparable("no training step was recorded")
    pairs: dict[tuple[str, str], list[tuple[np.ndarray, np.ndarray]]] = {}
    for kind, name, one, other in _pairs(original, migrated):
        pairs.setdefault((kind, name), []).append((one, other))
    return [_verdict(kind, name, found) for (kind, name), found in pairs.items()]


def _pairs(original: Recording, migrated: Recording) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    for place, (one, other) in enumerate(zip(original.steps, migrated.steps, strict=True)):
        if len(one.losses) != len(other.losses):
            raise NotComparable(f"step {place}: {len(one.losses)} towers against {len(other.losses)}")
        for tower, (loss, again) in enumerate(zip(one.losses, other.losses, strict=True)):
            yield "loss", f"tower {tower}", loss, again
        _same_names("gradient", place, set(one.gradients), set(other.gradients))
        for name in one.gradients:
            yield "gradient", name, one.gradients[name], other.gradients[name]
        if place:  # the first step of a migrated program makes its variables
            _same_names("variable", place, set(one.variables), set(other.variables))
            for name in one.variables:
                yield "variable", name, one.variables[name], other.variables[name]
    _same_names("variable", len(original.steps), set(original.final), set(migrated.final))
    for name in original.final:
        yield "final", name, original.final[name], migrated.final[name]


def _same_names(kind: str, place: int, one: set[str], other: set[str]) -> None:
    if one != other:
        only = sorted(one ^ other)
        raise NotComparable(f"step {place}: {kind} {only[0]!r} is on one side only ({len(only)} such names)")


def _verdict(kind: str, name: str, pairs: list[tuple[np.ndarray, np.ndarray]]) -> Verdict:
    bitwise = all(one.shape == other.shape and np.array_equal(one, other) for one, other in pairs)
    difference, ulps = 0.0, 0.0
    for one, other in pairs:
        if one.shape != other.shape:
            raise NotComparable(f"{kind} {name!r}: shape {one.shape} against {other.shape}")
        apart = float(np.max(np.abs(one.astype(np.float64) - other.astype(np.float64)), initial=0.0))
        largest = np.max(np.abs(one), initial=0)
        ulp = float(np.spacing(np.float32(largest))) or float(np.spacing(np.float32(1e-30)))
        difference, ulps = max(difference, apart), max(ulps, apart / ulp)
    return Verdict(kind, name, bitwise, difference, ulps)
