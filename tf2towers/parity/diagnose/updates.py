"""Whether the migrated run's updates follow the original's formula, with the original's numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from tf2towers.parity.diagnose.evidence import Evidence, Pair
from tf2towers.parity.diagnose.numbers import EQUAL, Explained, largest
from tf2towers.parity.diagnose.optimizer_rules import Change, Fit, Transition, changes, rule_of, transition


class Updates:
    """Both sides' updates, step by step.

    The original's formula is found from its own steps, then applied to the migrated run's own gradients and slots:
    gradients that differ do not make the update wrong. Where the formula is not known, updates are compared as they
    are, in elements whose gradients are the same.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.pairs: list[Pair] = []
        self.original: list[list[Change]] = []
        self.migrated: list[list[Change]] = []
        for pair in evidence.pairs:
            names = list(evidence.names(pair))
            same = pair.comparable and not pair.differing
            mine = changes(pair.original, names)
            its = changes(pair.migrated, names, pair.original if same else None)
            known = {change.name for change in mine} & {change.name for change in its}
            if not known:
                continue
            self.pairs.append(pair)
            self.original.append([change for change in mine if change.name in known])
            self.migrated.append([change for change in its if change.name in known])

    @cached_property
    def fit(self) -> Fit | None:
        """The original's formula."""
        return rule_of(self.original)

    def transition(self, side: str, slot: int) -> Transition | None:
        """How a slot of a side changes."""
        return transition(getattr(self, side), slot)

    @cached_property
    def usable_places(self) -> list[int]:
        """The steps of the migrated run that can be recomputed, or compared."""
        return [place for place in range(len(self.pairs)) if self._usable(place)]

    def _usable(self, place: int) -> bool:
        if self.fit is None:
            return self.pairs[place].comparable
        enough = all(len(change.slots_after) >= self.fit.rule.slots for change in self.migrated[place])
        return enough and self.fit.multiples[place] is not None

    def expected(self, place: int, change: Change) -> np.ndarray:
        """The update of the migrated run if it were the original's; NaN where nothing can be said."""
        if self.fit is not None:
            made = self.fit.update(place, change)
            return np.full_like(change.update, np.nan) if made is None else made
        for mine in self.original[place]:
            if mine.name == change.name and mine.update.shape == change.update.shape:
                gap = np.abs(mine.gradient - change.gradient)
                return np.where(gap <= EQUAL * np.abs(mine.gradient), mine.update, np.nan)
        return np.full_like(change.update, np.nan)

    def allowed(self, change: Change, expected: np.ndarray) -> float:
        """How far an update may be from what is expected."""
        return change.allowed + 10 * EQUAL * largest(expected)

    @cached_property
    def first(self) -> int | None:
        """The first step whose updates are not the original's."""
        for place in self.usable_places:
            for change in self.migrated[place]:
                expected = self.expected(place, change)
                if not np.isfinite(expected).any():
                    continue
                if largest(expected - change.update) > self.allowed(change, expected):
                    return self.pairs[place].index
        return None

    def part(self, assumed: Callable[[int, Change], np.ndarray | None]) -> float:
        """The part that an assumption explains: what it makes of each change of the usable steps; None: nothing."""
        explained = Explained()
        for place in self.usable_places:
            for change in self.migrated[place]:
                vector, expected = assumed(place, change), self.expected(place, change)
                if vector is None or vector.shape != change.update.shape:
                    return 0.0
                explained.add(change.update, vector, expected, self.allowed(change, expected))
        return explained.part

    def slot_differs(self, slot: int, mine: Transition) -> bool:
        """Whether a slot of the migrated run goes another way than the original's, from its own gradients."""
        found = [change for made in self.migrated for change in made if len(change.slots) > slot]
        noise = EQUAL * largest(*(change.slots_after[slot] for change in found))
        for change in found:
            expected, after = mine(change.slots[slot], change.gradient), change.slots_after[slot]
            if largest(after - expected) > 10 * EQUAL * largest(after, expected) + noise:
                return True
        return False


def updates_of(evidence: Evidence) -> Updates:
    """The updates of some evidence, made once."""
    found = evidence.__dict__.get("_updates")
    if not isinstance(found, Updates):
        found = evidence.__dict__["_updates"] = Updates(evidence)
    return found
