"""What is recorded of a run of a trainer, as a folder that grows step by step, and as objects.

    DIR/meta.json        what is said of the whole run (`Facts`)
    DIR/step-00000.npz   one file a step: 'kind|name' to array, see `Step`

A thing that was not there has no key. `tf2towers.verify.recorder` writes it (on Python 3.6 with NumPy alone, and on the
TF 1.15 of the original), and `tf2towers.verify.functions`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]


@dataclass
class Step:
    """One training step.

    Variables go by TF1 name ('conv1/weights', 'conv1/weights/Momentum'). A gradient that is a `tf.IndexedSlices` is two
    entries, 'NAME//values' and 'NAME//indices'.
    """

    variables: Arrays = field(default_factory=dict)  # before it: weights, slots, moving averages, statistics
    after: Arrays = field(default_factory=dict)
    gradients: Arrays = field(default_factory=dict)  # what the optimizer applied, by variable
    tower_gradients: list[Arrays] = field(default_factory=list)  # what each tower computed, in tower order
    losses: list[np.ndarray] = field(default_factory=list)  # one scalar a tower
    #: values that crossed into the graph: feeds, iterators, queues
    inputs: Arrays = field(default_factory=dict)
    #: a tower's random numbers, in order of creation
    draws: list[list[np.ndarray]] = field(default_factory=list)
    #: the gradients once more, of the same variables, inputs and draws, but computed in float64
    gradients64: Arrays = field(default_factory=dict)

    @classmethod
    def of(cls, flat: Arrays) -> Step:
        """A step made of its arrays, whose keys are 'kind|name'."""
        step = cls(losses=_listed(flat, "loss|"))
        for key in sorted(flat):  # inputs have their order in their names
            kind, _, name = key.partition("|")
            if kind in _NAMED:
                getattr(step, _NAMED[kind])[name] = flat[key]
            elif kind == "input":
                step.inputs[name.split("|", 1)[1]] = flat[key]
            elif kind == "tower gradient":
                tower, _, rest = name.partition("|")
                step.tower_gradients += [{} for _ in range(int(tower) + 1 - len(step.tower_gradients))]
                step.tower_gradients[int(tower)][rest] = flat[key]
        towers = {int(key.split("|")[1]) for key in flat if key.startswith("draw|")}
        step.draws = [_listed(flat, f"draw|{tower}|") for tower in range(max(towers, default=-1) + 1)]
        return step


_NAMED = {"variable": "variables", "after": "after", "gradient": "gradients", "gradient64": "gradients64"}


def _listed(flat: Arrays, prefix: str) -> list[np.ndarray]:
    found = {int(key[len(prefix) :]): value for key, value in flat.items() if key.startswith(prefix)}
    return [found[place] for place in sorted(found)]


def dense(gradients: Arrays, shapes: Mapping[str, tuple[int, ...]]) -> Arrays:
    """Gradients by variable; the rows of one that is sparse are added up, as float64.

    Rows of a variable whose shape is not known, or that do not fit it, are left out.
    """
    found = {key: value for key, value in gradients.items() if "//" not in key}
    for key, values in gradients.items():
        name, _, part = key.partition("//")
        rows, shape = gradients.get(f"{name}//indices"), shapes.get(name, ())
        if part != "values" or rows is None or not shape or values.shape != (*rows.shape, *shape[1:]):
            continue
        if not rows.size or 0 <= rows.min() <= rows.max() < shape[0]:
            found[name] = np.zeros(shape, np.float64)
            np.add.at(found[name], rows.astype(np.int64), values.astype(np.float64))
    return found


@dataclass
class Facts:
    """What meta.json says of a whole run."""

    tensorflow: str = ""
    python: str = ""
    towers: int = 1
    trainable: list[str] = field(default_factory=list)  # variables that the optimizer was given, in its order
    without_gradient: list[str] = field(default_factory=list)  # of those, whose gradient was None
    notes: list[str] = field(default_factory=list)  # sentences for the reader
    optimizers: int = 0  # how many updates the program has built
    sessions: int = 0  # how many session calls, or calls of functions, it has made
    #: of the original, that the program's own were not
    different_inputs: list[str] = field(default_factory=list)
    not_given: list[str] = field(default_factory=list)  # inputs of the original that the program did not take
    #: shapes of the program's, that nothing of the original is like
    unknown_inputs: list[str] = field(default_factory=list)
    not_seen: str = ""  # why updates of the program are not recorded, where some are not
    #: original's name -> the program's, where they differ
    renamed: dict[str, str] = field(default_factory=dict)
    #: pairs of accesses that the original's graph leaves the order of open: what both use, the first, the second
    open: list[list[str]] = field(default_factory=list)
    #: the program's variables that the original has none for
    unpaired: list[str] = field(default_factory=list)


@dataclass
class Recording:
    """The training steps of a run."""

    steps: list[Step] = field(default_factory=list)
    facts: Facts = field(default_factory=Facts)

    @classmethod
    def load(cls, folder: Path) -> Recording:
        """Reads a folder.

        Raises:
            FileNotFoundError: the run left no recording.
        """
        return cls(list(read_steps(folder)), read_facts(folder))


def read_facts(folder: Path) -> Facts:
    """What meta.json says.

    Raises:
        FileNotFoundError: the run did not get as far as writing it.
    """
    found: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    known = {entry.name for entry in dataclasses.fields(Facts)}
    return Facts(**{name: value for name, value in found.items() if name in known and value is not None})


def read_steps(folder: Path) -> Iterator[Step]:
    """The steps one after the other, each read when it is asked for."""
    for path in sorted(folder.glob("step-*.npz")):
        yield read_step(path)


def read_step(path: Path) -> Step:
    """One step's file."""
    with np.load(path) as flat:
        return Step.of({name: flat[name] for name in flat.files})
