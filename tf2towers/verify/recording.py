"""The recording of a trainer's run, as a folder that grows step by step, and as objects.

    DIR/meta.json        facts on the whole run (`Facts`)
    DIR/step-00000.npz   one file for each step: 'kind|name' to array, see `Step`

A value that a step lacks is without a key. `tf2towers.verify.recorder` writes the folder (it runs on Python 3.6 with
NumPy alone, and on the original's TF 1.15), and so does `tf2towers.verify.rewrites`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]


@dataclass
class Step:
    """One training step.

    Variables have TF1 names ('conv1/weights', 'conv1/weights/Momentum'). A `tf.IndexedSlices` gradient has two
    entries, 'NAME//values' and 'NAME//indices'.
    """

    variables: Arrays = field(default_factory=dict)  # before the step: weights, slots, averages, statistics
    after: Arrays = field(default_factory=dict)  # after the step
    gradients: Arrays = field(default_factory=dict)  # the gradients that the optimizer applied, by variable
    tower_gradients: list[Arrays] = field(default_factory=list)  # each tower's own, in tower order
    losses: list[np.ndarray] = field(default_factory=list)  # one scalar for each tower
    #: values that entered the graph: feeds, elements of iterators and queues
    inputs: Arrays = field(default_factory=dict)
    #: each tower's random numbers, in order of creation
    draws: list[list[np.ndarray]] = field(default_factory=list)

    @classmethod
    def of(cls, flat: Arrays) -> Step:
        """Builds a step from a file's arrays, whose keys are 'kind|name'."""
        step = cls(losses=_listed(flat, "loss|"))
        for key in sorted(flat):  # the names of inputs begin with their position
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


_NAMED = {"before": "variables", "variable": "after", "gradient": "gradients"}


def _listed(flat: Arrays, prefix: str) -> list[np.ndarray]:
    found = {int(key[len(prefix) :]): value for key, value in flat.items() if key.startswith(prefix)}
    return [found[place] for place in sorted(found)]


def dense(gradients: Arrays, shapes: Mapping[str, tuple[int, ...]]) -> Arrays:
    """Gradients by variable, as dense arrays; the rows of a sparse one are summed, in float64.

    A sparse gradient is omitted if its variable's shape is unknown, or if its rows do not fit that shape.
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
    """The facts on a whole run in meta.json."""

    tensorflow: str = ""
    python: str = ""
    towers: int = 1
    trainable: list[str] = field(default_factory=list)  # variables that the optimizer was given, in its order
    without_gradient: list[str] = field(default_factory=list)  # those of `trainable` whose gradient was None
    notes: list[str] = field(default_factory=list)  # sentences for the reader
    optimizers: int = 0  # the number of updates that the program has built
    sessions: int = 0  # the number of its session calls, or of calls of functions
    #: the original's inputs that differ from the program's own
    different_inputs: list[str] = field(default_factory=list)
    not_given: list[str] = field(default_factory=list)  # inputs of the original that the program did not take
    #: shapes of the program's inputs to which no input of the original corresponds
    unknown_inputs: list[str] = field(default_factory=list)
    not_seen: str = ""  # why updates of the program are not recorded, where some are not
    #: the original's variable names to the program's, where they differ
    renamed: dict[str, str] = field(default_factory=dict)
    #: pairs of accesses whose order the original's graph does not fix: the resource, the first access, the second
    open: list[list[str]] = field(default_factory=list)
    #: the folder of the checkpoint that the program went on from, and its step; empty for none
    restored: list[Any] = field(default_factory=list)
    #: the program's variables without a counterpart in the original
    unpaired: list[str] = field(default_factory=list)


@dataclass
class Recording:
    """The training steps of a run."""

    steps: list[Step] = field(default_factory=list)
    facts: Facts = field(default_factory=Facts)

    @classmethod
    def load(cls, folder: Path) -> Recording:
        """Reads a recording's folder.

        Raises:
            FileNotFoundError: the run wrote no recording.
        """
        return cls(list(read_steps(folder)), read_facts(folder))


def read_facts(folder: Path) -> Facts:
    """The facts in meta.json.

    Raises:
        FileNotFoundError: the run ended before it wrote the file.
    """
    found: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    known = {entry.name for entry in dataclasses.fields(Facts)}
    return Facts(**{name: value for name, value in found.items() if name in known and value is not None})


def already_there(restored: Sequence[Any]) -> str:
    """A sentence on a checkpoint that the original went on from, where it makes too few steps; empty without one.

    Args:
        restored: the checkpoint's folder, and its step or None.
    """
    if not restored:
        return ""
    folder, step = restored
    at = "" if step is None else f" is at step {step}, and the script stops there"
    return (
        f"the checkpoint in {folder}{at}: give another folder, or `--empty {folder}`, which hides what it has"
    )


def read_steps(folder: Path) -> Iterator[Step]:
    """Yields the steps in order; each is read when it is requested."""
    for path in sorted(folder.glob("step-*.npz")):
        yield read_step(path)


def read_step(path: Path) -> Step:
    """Reads the file of one step."""
    with np.load(path) as flat:
        return Step.of({name: flat[name] for name in flat.files})
