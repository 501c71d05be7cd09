"""Whether the migrated run's updates follow the original's formula, with the original's numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tf2towers.verify.diagnose.evidence import Evidence, Pair, View
from tf2towers.verify.diagnose.numbers import (
    EQUAL,
    ROUNDING,
    Explained,
    fitted,
    joined,
    largest,
    least,
    scaled,
)

# -- the optimizers' formulas, and which of them a recorded update follows ---------------------------------------------
#   gradient descent   w -= lr * g
#   momentum           a = mu * a + g;  w -= lr * a                              (ApplyMomentum)
#   nesterov           a = mu * a + g;  w -= lr * (g + mu * a)                   (ApplyMomentum, use_nesterov)
#   Adagrad            n += g**2;  w -= lr * g / sqrt(n + epsilon)               (ApplyAdagrad: no epsilon)
#   RMSProp            n = rho * n + (1 - rho) * g**2;  b = mu * b + lr * g / sqrt(n + epsilon);  w -= b  (ApplyRMSProp)
#   Adam               m, v = moments;  w -= lr_t * m / (sqrt(v) + epsilon)      (ApplyAdam: "epsilon hat")
#
# With the slots as recorded after the step an update is a sum of known vectors, times the rate: least squares gives the
# rate of each step. An epsilon is searched for.

_SEARCHED = 5_000  # elements of a step that the search for an epsilon looks at
_GRID = (0.0, *np.geomspace(1e-12, 1.0, 25))


@dataclass
class Change:
    """The update of one variable in one step, and what it was made of."""

    name: str
    update: np.ndarray
    gradient: np.ndarray
    slots: list[np.ndarray]  # before the step
    slots_after: list[np.ndarray]
    allowed: float  # how far `update` may be off: it is the difference of two rounded weights


Columns = Callable[[Change, float], list[np.ndarray]]


@dataclass(frozen=True)
class Rule:
    """An optimizer's formula: `columns` are the vectors whose multiples add up to the update."""

    name: str
    slots: int
    columns: Columns = field(compare=False)
    has_epsilon: bool = False


def _rms(change: Change, epsilon: float) -> np.ndarray:
    return change.gradient / np.sqrt(change.slots_after[0] + epsilon)


DESCENT = Rule("gradient descent", 0, lambda change, _: [change.gradient])
MOMENTUM = Rule("momentum", 1, lambda change, _: [change.slots_after[0]])
NESTEROV = Rule("nesterov", 1, lambda change, _: [change.slots_after[0], change.gradient])
ADAGRAD = Rule("Adagrad", 1, lambda change, epsilon: [_rms(change, epsilon)], True)
ADAM = Rule(
    "Adam",
    2,
    lambda change, epsilon: [change.slots_after[0] / (np.sqrt(np.abs(change.slots_after[1])) + epsilon)],
    True,
)
RMSPROP = Rule("RMSProp", 2, lambda change, epsilon: [_rms(change, epsilon)], True)
RMSPROP_MOMENTUM = Rule(
    "RMSProp with momentum", 2, lambda change, epsilon: [_rms(change, epsilon), change.slots[1]], True
)
RULES = (MOMENTUM, NESTEROV, ADAGRAD, ADAM, RMSPROP, RMSPROP_MOMENTUM, DESCENT)


def changes(view: View, names: Sequence[str], slots_of: View | None = None) -> list[Change]:
    """A side's updates of a step; slots from `slots_of` where the side has none of its own."""
    found = []
    for name in names:
        update, gradient = view.change(name), view.gradients.get(name)
        if update is None or gradient is None or gradient.shape != update.shape:
            continue
        source = view
        slots = view.slots(name)
        if not slots and slots_of is not None:
            source, slots = slots_of, slots_of.slots(name)
        weights = largest(view.before[name], view.after[name])
        found.append(
            Change(
                name,
                update,
                gradient,
                [source.before[slot] for slot in slots],
                [source.after[slot] for slot in slots],
                10 * EQUAL * largest(update) + ROUNDING * weights,
            )
        )
    return found


@dataclass
class Fit:
    """A rule with its numbers: per step the multiples of its columns (None where they cannot be told)."""

    rule: Rule
    epsilon: float
    multiples: list[np.ndarray | None]
    holds: bool

    def rate(self, step: int) -> float | None:
        """The (effective) learning rate of a step."""
        found = self.multiples[step]
        if found is None:
            return None
        return float(-found[-1] if self.rule is NESTEROV else -found[0])

    def update(self, step: int, change: Change, epsilon: float | None = None) -> np.ndarray | None:
        """What the rule makes of a change's gradient and slots."""
        multiples = self.multiples[step]
        if multiples is None or len(change.slots_after) < self.rule.slots:
            return None
        columns = self.rule.columns(change, self.epsilon if epsilon is None else epsilon)
        return np.asarray(sum(factor * column for factor, column in zip(multiples, columns, strict=True)))


def _weighted(rule: Rule, made: Sequence[Change], epsilon: float, thin: bool) -> list[np.ndarray]:
    """The update and the columns of all variables of a step, each by what it may be off."""
    every = max(1, sum(change.update.size for change in made) // _SEARCHED) if thin else 1
    parts = [[change.update, *rule.columns(change, epsilon)] for change in made]
    allowed = [change.allowed for change in made]
    return [scaled((part[place][::every] for part in parts), allowed) for place in range(len(parts[0]))]


def _left(rule: Rule, steps: Sequence[list[Change]], epsilon: float) -> float:
    total = 0.0
    for made in steps:
        target, *columns = _weighted(rule, made, epsilon, True)
        found = fitted(columns, target, alike=True)
        if found is not None:
            rest = target - sum(factor * column for factor, column in zip(found, columns, strict=True))
            total += float(np.sum(rest[np.isfinite(rest)] ** 2))
    return total


def searched(left: Callable[[float], float]) -> float:
    """The epsilon with the least left over: by powers of ten, then nearer."""
    place = int(np.argmin([left(epsilon) for epsilon in _GRID]))
    if place == 0:
        return 0.0
    low, high = (_GRID[place - 1] or _GRID[place] / 10), _GRID[min(place + 1, len(_GRID) - 1)]
    return least(left, low, high, points=9, rounds=5)


def fit(rule: Rule, steps: Sequence[list[Change]]) -> Fit | None:
    """The rule's numbers for some steps; None where there are too few slots."""
    if any(len(change.slots_after) < rule.slots for made in steps for change in made):
        return None
    if not any(steps):
        return None
    full = [made for made in steps if made]
    epsilon = searched(lambda tried: _left(rule, full, tried)) if rule.has_epsilon else 0.0
    multiples: list[np.ndarray | None] = []
    holds, seen = True, False
    for made in steps:
        multiples.append(None)
        if not made:
            continue
        target, *columns = _weighted(rule, made, epsilon, False)
        found = fitted(columns, target, alike=True)
        if found is None:
            holds = holds and largest(target) <= 1.0
            continue
        seen = True
        multiples[-1] = found
        rest = target - sum(factor * column for factor, column in zip(found, columns, strict=True))
        # an element that is not a number on either side of the formula says nothing
        holds = holds and largest(rest) <= 1.0
    if rule is NESTEROV and seen:
        holds = holds and all(multiple is None or (multiple < 0).all() for multiple in multiples)
    elif rule is not RMSPROP_MOMENTUM and seen:
        holds = holds and all(multiple is None or multiple[0] <= 0 for multiple in multiples)
    return Fit(rule, epsilon, multiples, holds and seen)


def rule_of(steps: Sequence[list[Change]]) -> Fit | None:
    """The first rule that all updates of a side follow."""
    counts = {len(change.slots_after) for made in steps for change in made}
    for rule in RULES:
        if rule.slots and counts != {rule.slots}:
            continue
        found = fit(rule, steps)
        if found is not None and found.holds:
            return found
    return None


@dataclass(frozen=True)
class Transition:
    """How a slot changes: after = kept * before + taken * g (or g**2)."""

    kept: float
    taken: float
    squared: bool

    def __call__(self, slot: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """The slot after a step."""
        return self.kept * slot + self.taken * (gradient**2 if self.squared else gradient)


def transition(steps: Sequence[list[Change]], slot: int) -> Transition | None:
    """What one slot's steps have in common; None where it is neither of the two."""
    made = [change for step in steps for change in step if len(change.slots) > slot]
    if not made:
        return None
    after = joined(change.slots_after[slot] for change in made)
    before = joined(change.slots[slot] for change in made)
    allowed = 2 * EQUAL * largest(after)
    for squared in (False, True):
        taken = joined(change.gradient**2 if squared else change.gradient for change in made)
        found = fitted([before, taken], after)
        if found is None:
            continue
        rest = after - found[0] * before - found[1] * taken
        if largest(rest) <= allowed:
            return Transition(float(found[0]), float(found[1]), squared)
    return None


# -- both sides' updates -----------------------------------------------------------------------------------------------


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
