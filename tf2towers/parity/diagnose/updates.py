"""Whether the migrated run's updates follow the original's formula, with the original's numbers."""

from __future__ import annotations

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

    Args:
        evidence: the two recordings.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.pairs: list[Pair] = []
        self.original: list[list[Change]] = []
        self.migrated: list[list[Change]] = []
        for pair in evidence.pairs:
            names = list(evidence.names(pair))
            same = pair.comparable and not pair.differing
            one = changes(pair.original, names)
            other = changes(pair.migrated, names, pair.original if same else None)
            known = {change.name for change in one} & {change.name for change in other}
            if not known:
                continue
            self.pairs.append(pair)
            self.original.append([change for change in one if change.name in known])
            self.migrated.append([change for change in other if change.name in known])

    @cached_property
    def fit(self) -> Fit | None:
        """The original's formula."""
        with np.errstate(all="ignore"):
            return rule_of(self.original)

    def transition(self, side: str, slot: int) -> Transition | None:
        """How a slot of a side changes."""
        with np.errstate(all="ignore"):
            return transition(getattr(self, side), slot)

    def usable(self, place: int) -> bool:
        """Whether a step of the migrated run can be recomputed, or compared."""
        if self.fit is None:
            return self.pairs[place].comparable
        enough = all(len(change.slots_after) >= self.fit.rule.slots for change in self.migrated[place])
        return enough and self.fit.multiples[place] is not None

    @cached_property
    def usable_places(self) -> list[int]:
        """The steps that can be."""
        return [place for place in range(len(self.pairs)) if self.usable(place)]

    def expected(self, place: int, change: Change) -> np.ndarray:
        """The update of the migrated run if it were the original's; NaN where nothing can be said."""
        if self.fit is not None:
            made = self.fit.update(place, change)
            return np.full_like(change.update, np.nan) if made is None else made
        for one in self.original[place]:
            if one.name == change.name and one.update.shape == change.update.shape:
                gap = np.abs(one.gradient - change.gradient)
                return np.where(gap <= EQUAL * np.abs(one.gradient), one.update, np.nan)
        return np.full_like(change.update, np.nan)

    def allowed(self, change: Change, expected: np.ndarray) -> float:
        """How far an update may be from what is expected."""
        return change.allowed + 10 * EQUAL * largest(expected)

    @cached_property
    def first(self) -> int | None:
        """The first step whose updates are not the original's."""
        with np.errstate(all="ignore"):
            for place in self.usable_places:
                for change in self.migrated[place]:
                    expected = self.expected(place, change)
                    if not np.isfinite(expected).any():
                        continue
                    if largest(expected - change.update) > self.allowed(change, expected):
                        return self.pairs[place].index
        return None

    def part(self, made: list[list[np.ndarray]]) -> float:
        """The part that an assumption explains: its updates for each of `usable_places`, each variable."""
        explained = Explained()
        with np.errstate(all="ignore"):
            for place, vectors in zip(self.usable_places, made, strict=True):
                for change, vector in zip(self.migrated[place], vectors, strict=True):
                    expected = self.expected(place, change)
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
