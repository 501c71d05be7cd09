"""Two recordings side by side, as flat vectors, with what each step's comparison may rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from tf2towers.report.parity_result import Diagnosis
from tf2towers.verify.diagnose.numbers import (
    EQUAL,
    NOISE,
    ROUNDING,
    Explained,
    Vectors,
    apart,
    as_vectors,
    differing_input,
    flat,
    greatest,
    largest,
    numeric,
    relative,
)
from tf2towers.verify.recording import Arrays, Recording, Step

LIMIT = 1 << 12  # elements of one variable that are looked at
AMPLIFIED = 100.0  # how much more than the weights that it is made of a gradient may be apart
SHADOW = "/ExponentialMovingAverage"
Places = dict[str, np.ndarray]
Norms = dict[str, float]


class View:
    """One side's step. Vectors are float64, of one dimension, and of at most `LIMIT` elements of each variable."""

    def __init__(self, step: Step, shapes: dict[str, tuple[int, ...]], places: Places) -> None:
        self.step = step
        self._shapes = shapes
        self._places = places

    def _part(self, arrays: Arrays) -> Vectors:
        """What is looked at of each array of numbers."""
        found = {}
        for name, array in arrays.items():
            if numeric(array):
                vector = np.asarray(array).reshape(-1)
                places = self._places.get(_owner(name, self._places))
                usable = places is not None and int(places[-1]) < vector.size
                found[name] = flat(vector[places] if usable else vector[:LIMIT])
        return found

    @cached_property
    def before(self) -> Vectors:
        """The variables before the step."""
        return self._part(self.step.variables)

    @cached_property
    def after(self) -> Vectors:
        """The variables after it."""
        return self._part(self.step.after)

    @cached_property
    def gradients(self) -> Vectors:
        """What the optimizer was given, by variable."""
        return self._part(as_vectors(self.step.gradients, self._shapes))

    @cached_property
    def norms(self) -> Norms:
        """The length of each gradient, all elements."""
        return _norms(as_vectors(self.step.gradients, self._shapes))

    @cached_property
    def towers(self) -> list[Vectors]:
        """The gradients that each tower computed, by variable as in `gradients`."""
        return [self._part(as_vectors(arrays, self._shapes)) for arrays in self.step.tower_gradients]

    @cached_property
    def tower_norms(self) -> list[Norms]:
        """As `norms`, for the gradients of each tower."""
        return [_norms(as_vectors(arrays, self._shapes)) for arrays in self.step.tower_gradients]

    @cached_property
    def mean(self) -> tuple[Vectors, Norms]:
        """The mean over the towers of each variable that all have, and its length."""
        towers = [as_vectors(arrays, self._shapes) for arrays in self.step.tower_gradients]
        if not towers:
            return {}, {}
        names = [
            name
            for name in towers[0]
            if all(name in tower and tower[name].shape == towers[0][name].shape for tower in towers)
        ]
        full = {
            name: sum((tower[name] for tower in towers[1:]), flat(towers[0][name])) / len(towers)
            for name in names
        }
        return self._part(full), _norms(full)

    @cached_property
    def losses(self) -> np.ndarray:
        """One value a tower."""
        values = [flat(np.asarray(loss)) for loss in self.step.losses if numeric(np.asarray(loss))]
        return np.array([value[0] for value in values if value.size == 1])

    def change(self, name: str) -> np.ndarray | None:
        """By how much the step changed a variable: its value after less the one before."""
        before, after = self.before.get(name), self.after.get(name)
        return None if before is None or after is None or before.shape != after.shape else after - before

    def moved(self, name: str) -> np.ndarray:
        """As `change`; an empty array where that is not known."""
        change = self.change(name)
        return np.zeros(0) if change is None else change

    def slots(self, name: str) -> list[str]:
        """The names of the optimizer's slots of a variable, in the order of their making ('Adam', 'Adam_1', ..)."""
        size = self.before[name].shape if name in self.before else None
        found = [
            other
            for other, vector in self.before.items()
            if other.startswith(f"{name}/")
            and vector.shape == size
            and other not in self.gradients
            and not other.endswith(SHADOW)
            and other in self.after
        ]
        return sorted(found, key=lambda slot: (len(slot), slot))


class Pair:
    """The same step of both sides.

    `comparable`: both began it with the same weights and the same inputs, so that what differs was made in it.
    `tolerance`: the part of the largest element by which what it computes may be apart.
    """

    def __init__(
        self, index: int, original: View, migrated: View, lockstep: bool, inputs_equal: bool
    ) -> None:
        self.index = index
        self.original = original
        self.migrated = migrated
        names = [name for name in original.gradients if name in original.before and name in migrated.before]
        weights = max((relative(original.before[name], migrated.before[name]) for name in names), default=0.0)
        self.tolerance = max(EQUAL, AMPLIFIED * weights if weights > ROUNDING else 0.0)
        known = bool(names) or lockstep or index == 0
        self.comparable = known and inputs_equal and self.tolerance <= 100 * EQUAL

    @cached_property
    def noise(self) -> float:
        """The size below which gradients are taken for rounding."""
        return NOISE * max(greatest(self.original.gradients), greatest(self.migrated.gradients))

    def allowed(self, name: str) -> float:
        """How far the gradients of a variable may be apart."""
        sides = (self.original.gradients[name], self.migrated.gradients[name])
        return self.tolerance * largest(*sides) + self.noise

    @cached_property
    def differing(self) -> list[str]:
        """The variables whose gradients do not agree; those of one side alone are not among them."""
        mine, its = self.original.gradients, self.migrated.gradients
        return [name for name in mine if name in its and apart(mine[name], its[name]) > self.allowed(name)]


class Evidence:
    """All that the mistakes are recognised by.

    Args:
        original, migrated: the recordings; steps that only one has are left out.
        lockstep: every step was begun with the original's variables.
    """

    def __init__(self, original: Recording, migrated: Recording, lockstep: bool) -> None:
        self.facts = original.facts
        self.migrated_facts = migrated.facts
        self.lockstep = lockstep
        both = list(zip(original.steps, migrated.steps, strict=False))
        seen = [len(of_towers) for step, _ in both[:1] for of_towers in (step.losses, step.tower_gradients)]
        self.towers = max([original.facts.towers, 1, *seen])
        shapes = _shapes(original) | _shapes(migrated)
        places = _places(original, shapes)
        self.pairs = [
            Pair(
                index,
                View(step, shapes, places),
                View(its, shapes, places),
                lockstep,
                differing_input(step, its) is None,
            )
            for index, (step, its) in enumerate(both)
        ]

    @cached_property
    def comparable(self) -> list[Pair]:
        """The steps that both sides began alike."""
        return [pair for pair in self.pairs if pair.comparable]

    def names(self, pair: Pair) -> Iterator[str]:
        """The variables whose gradients both sides have, of the same size, some of it finite."""
        mine, its = pair.original.gradients, pair.migrated.gradients
        for name, vector in mine.items():
            if name in its and its[name].shape == vector.shape:
                yield name

    @cached_property
    def gradients_differ(self) -> bool:
        """Whether any gradient does, in a step that both sides began alike."""
        return any(pair.differing for pair in self.comparable)

    def explained(self, assumed: Callable[[Pair, str], np.ndarray | None]) -> float:
        """The part of the gradients' differences that an assumption explains.

        Args:
            assumed: what it makes of a variable's gradient in the migrated run; None: it says nothing, and explains
                nothing at all.
        """
        explained = Explained()
        for pair in self.comparable:
            for name in self.names(pair):
                made = assumed(pair, name)
                if made is None:
                    return 0.0
                mine, its = pair.original.gradients[name], pair.migrated.gradients[name]
                explained.add(its, made, mine, pair.allowed(name))
        return explained.part

    def first_difference(self, names: set[str] | None = None) -> int:
        """The first step in which gradients differ; 0 where none do."""
        for pair in self.comparable:
            if set(pair.differing) & (names or set(pair.differing)):
                return pair.index
        return 0


def _owner(name: str, places: Places) -> str:
    """The variable whose elements a slot or a shadow goes by."""
    if name in places:
        return name
    head = name.rpartition("/")[0]
    return head if head in places else name


def _shapes(recording: Recording) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for step in recording.steps[:1]:
        for arrays in (step.after, step.variables):
            found |= {name: value.shape for name, value in arrays.items()}
    return found


def _norms(vectors: Vectors) -> Norms:
    return {name: float(np.linalg.norm(vector.astype(np.float64))) for name, vector in vectors.items()}


def _places(original: Recording, shapes: dict[str, tuple[int, ...]]) -> Places:
    """Which elements of a large variable are looked at: spread evenly over those that have a gradient at first."""
    places: Places = {}
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        if size <= LIMIT or shapes.get(name.rpartition("/")[0]) == shape:  # a slot goes by its variable
            continue
        of_variable = {
            key: gradient
            for key, gradient in original.steps[0].gradients.items()
            if key.split("//")[0] == name
        }
        vector = as_vectors(of_variable, shapes).get(name)
        chosen = np.arange(size) if vector is None or vector.size != size else np.flatnonzero(vector)
        if not chosen.size:
            chosen = np.arange(size)
        places[name] = chosen[:: -(-chosen.size // LIMIT)]
    return places


# -- what a recogniser of one mistake is -------------------------------------------------------------------------------

#: the links of a step's chain, in its order: one broken link is one diagnosis
Link = Literal["gradients", "update", "statistics", "moving average"]


@dataclass(frozen=True)
class Mistake:
    """A mistake, or a family of them told apart by the same numbers.

    Attributes:
        names: those that its diagnoses may have.
        link: where in a step it is made.
        recognise: the diagnosis, or None where the numbers do not show it.
    """

    names: tuple[str, ...]
    link: Link
    recognise: Callable[[Evidence], Diagnosis | None]
