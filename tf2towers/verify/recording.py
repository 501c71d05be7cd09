"""What a run of a trainer leaves behind, as a folder that grows step by step, and as objects.

    DIR/meta.json        what is said of the whole run (`Facts`)
    DIR/step-00000.npz   one file a step: 'kind|name' to array, see `Step`

A thing that was not there has no key. `tf2towers.verify.recorder` writes it (on Python 3.6 with NumPy alone, and on the
TF 1.15 of the original), and `tf2towers.verify.functions`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tf2towers.verify.recorder.writing import Writer

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
    fetched: list[np.ndarray] = field(default_factory=list)  # what the script fetched beside, numbers only
    summaries: Arrays = field(default_factory=dict)  # scalar summaries that it fetched, by tag
    #: per tower: the forward pass, layer by layer in order of creation; a digest each: float64 [crc32 of the bytes,
    #: sum, sum of absolute values, sum of squares, number of elements]
    layers: list[Arrays] = field(default_factory=list)
    #: losses and gradients once more, of the same variables, inputs and draws, but computed in float64
    gradients64: Arrays = field(default_factory=dict)
    tower_gradients64: list[Arrays] = field(default_factory=list)
    losses64: list[np.ndarray] = field(default_factory=list)
    #: of each of these, 'gradient64|NAME', 'loss64|TOWER', ..: by how much it is a matter of rounding, float64; see
    #: `recorder.double.reference`
    spread: Arrays = field(default_factory=dict)

    @classmethod
    def of(cls, flat: Arrays) -> Step:
        """A step made of its arrays, whose keys are 'kind|name'."""
        step = cls()
        for key in sorted(flat):  # inputs and layers have their order in their names
            kind, _, name = key.partition("|")
            value = flat[key]
            if kind in _NAMED:
                getattr(step, _NAMED[kind])[name] = value
            elif kind == "input":
                step.inputs[name.split("|", 1)[1]] = value
            elif kind in _OF_TOWERS:
                tower, _, rest = name.partition("|")
                entries = getattr(step, _OF_TOWERS[kind])
                while len(entries) <= int(tower):
                    entries.append({})
                entries[int(tower)][rest.split("|", 1)[-1] if kind == "layer" else rest] = value
        for kind, attribute in _LISTED.items():
            setattr(step, attribute, _listed(flat, f"{kind}|"))
        towers = {int(key.split("|")[1]) for key in flat if key.startswith("draw|")}
        step.draws = [_listed(flat, f"draw|{tower}|") for tower in range(max(towers, default=-1) + 1)]
        return step

    def flat(self) -> Arrays:
        """The step's arrays, whose keys are 'kind|name': the inverse of `of`."""
        found: Arrays = {}
        for kind, attribute in _NAMED.items():
            found |= {f"{kind}|{name}": value for name, value in getattr(self, attribute).items()}
        found |= {
            f"input|{place:06d}|{name}": value for place, (name, value) in enumerate(self.inputs.items())
        }
        for kind in ("tower gradient", "tower gradient64"):
            for tower, entries in enumerate(getattr(self, _OF_TOWERS[kind])):
                found |= {f"{kind}|{tower}|{name}": value for name, value in entries.items()}
        for tower, entries in enumerate(self.layers):
            found |= {
                f"layer|{tower}|{place:05d}|{name}": value
                for place, (name, value) in enumerate(entries.items())
            }
        for tower, draws in enumerate(self.draws):
            found |= {f"draw|{tower}|{place}": value for place, value in enumerate(draws)}
        for kind, attribute in _LISTED.items():
            found |= {f"{kind}|{place}": value for place, value in enumerate(getattr(self, attribute))}
        return found


_NAMED = {
    "variable": "variables",
    "after": "after",
    "gradient": "gradients",
    "gradient64": "gradients64",
    "summary": "summaries",
    "spread": "spread",
}
_OF_TOWERS = {
    "tower gradient": "tower_gradients",
    "tower gradient64": "tower_gradients64",
    "layer": "layers",
}

_LISTED = {"loss": "losses", "loss64": "losses64", "fetched": "fetched"}


def _listed(flat: Arrays, prefix: str) -> list[np.ndarray]:
    found = {int(key[len(prefix) :]): value for key, value in flat.items() if key.startswith(prefix)}
    return [found[place] for place in sorted(found)]


def added_up(
    values: np.ndarray | None, rows: np.ndarray | None, shape: tuple[int, ...], dtype: Any = np.float64
) -> np.ndarray | None:
    """A gradient of some rows in the shape of its variable; None where its parts do not fit that."""
    if values is None or rows is None or not shape or values.shape != (*rows.shape, *shape[1:]):
        return None
    if rows.size and not 0 <= rows.min() <= rows.max() < shape[0]:
        return None
    whole = np.zeros(shape, dtype)
    np.add.at(whole, rows.astype(np.int64), values.astype(dtype))
    return whole


def dense(gradients: Arrays, shapes: Mapping[str, tuple[int, ...]], dtype: Any = np.float64) -> Arrays:
    """Gradients by variable; the rows of one that is sparse are added up, as `dtype` (None: as they are).

    Rows of a variable whose shape is not known, or that do not fit it, are left out.
    """
    found = {key: value for key, value in gradients.items() if "//" not in key}
    for key, values in gradients.items():
        name, _, part = key.partition("//")
        whole = None
        if part == "values":
            whole = added_up(
                values, gradients.get(f"{name}//indices"), shapes.get(name, ()), dtype or values.dtype
            )
        if whole is not None:
            found[name] = whole
    return found


@dataclass
class Facts:
    """What meta.json says of a whole run."""

    tensorflow: str = ""
    python: str = ""
    towers: int = 1
    trainable: list[str] = field(default_factory=list)  # variables that the optimizer was given, in its order
    without_gradient: list[str] = field(default_factory=list)  # of those, whose gradient was None
    #: {"class": "MomentumOptimizer", "momentum": 0.9, ..}
    optimizer: dict[str, Any] = field(default_factory=dict)
    layer_types: dict[str, str] = field(default_factory=dict)  # layer name -> op type
    notes: list[str] = field(default_factory=list)  # sentences for the reader
    batch_size: int | None = None  # rows of the first input, where there is one
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

    def save(self, folder: Path) -> None:
        """Writes everything into a folder."""
        write(folder, self.steps, self.facts)

    @classmethod
    def load(cls, folder: Path) -> Recording:
        """Reads a folder.

        Raises:
            FileNotFoundError: the run left no recording.
        """
        return cls(list(read_steps(folder)), read_facts(folder))


def write(folder: Path, steps: Iterable[Step], facts: Facts) -> None:
    """Writes a recording into a folder, whose steps come one after the other."""
    writer = Writer(str(folder))
    for step in steps:
        writer.step(step.flat())
    writer.facts(dataclasses.asdict(facts))


def read_facts(folder: Path) -> Facts:
    """What meta.json says.

    Raises:
        FileNotFoundError: the run did not get as far as writing it.
    """
    found = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
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


class FirstVariables(Mapping[str, np.ndarray]):
    """The variables before the first step, by name, each read when it is asked for: they may be large.

    Args:
        folder: of a recording of at least one step.

    Raises:
        FileNotFoundError: the run made no step.
    """

    def __init__(self, folder: Path) -> None:
        self._file = np.load(folder / "step-00000.npz")
        self._names = [key[len(_BEFORE) :] for key in self._file.files if key.startswith(_BEFORE)]

    def __getitem__(self, name: str) -> np.ndarray:
        value: np.ndarray = self._file[_BEFORE + name]
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


_BEFORE = "variable|"
