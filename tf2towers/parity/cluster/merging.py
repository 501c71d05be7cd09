"""What the workers of a cluster have recorded, put together in the order of the updates.

FOLDER/worker-N/own      a folder of steps: inputs, draws, the loss and the gradients handed in, at N's own steps
FOLDER/worker-N/updates  a folder of steps: variables, what was applied, and when, of the updates N's process made
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tf2towers.parity.recording import Arrays, Facts, Step, added_up, read_facts, read_step

GLOBAL_STEP = "global_step"
OWN, UPDATES = "own", "updates"


class _Update(NamedTuple):
    """An update: its number (0 in a trainer that counts none), its moment, its file."""

    number: int
    when: float
    path: Path


def workers_in(folder: Path) -> list[Path]:
    """Every worker's folder, worker 0's first."""
    return sorted(folder.glob("worker-*"), key=lambda path: int(path.name.partition("-")[2]))


def own_steps(folder: Path) -> list[list[Path]]:
    """The files of every worker's own steps."""
    return [_files(worker / OWN) for worker in workers_in(folder)]


def is_synchronous(folder: Path) -> bool:
    """Whether the updates are of all workers: then the losses are in the workers' own steps."""
    updates = [path for worker in workers_in(folder) for path in _files(worker / UPDATES)]
    return bool(updates) and not read_step(updates[0]).losses


def own_of_updates(folder: Path) -> list[Path]:
    """Of asynchronous workers, the file of the own step that belongs to each update, in the order of the updates."""
    return [own for _, own in _in_order(folder) if own is not None]


def facts_of(folder: Path) -> Facts:
    """What worker 0 says of its run.

    Raises:
        FileNotFoundError: it has not come to that.
    """
    return read_facts(folder / "worker-0" / OWN)


def count_updates(folder: Path) -> int:
    """How many updates all workers have made."""
    return sum(len(_files(worker / UPDATES)) for worker in workers_in(folder))


def merged(folder: Path, steps: int) -> Iterator[Step]:
    """The first `steps` updates of a cluster as the steps of one run; the losses of a step in the order of the workers.

    They are in the order of the global step, where there is one, else of time.

    Raises:
        ValueError: there were fewer, or two claim to be the same.
    """
    made = [update for update, _ in _in_order(folder)]
    if made and all(update.number for update in made):
        numbers = [update.number for update in made]
        if numbers[:steps] != list(range(1, steps + 1)):
            raise ValueError(f"updates 1 to {steps} were expected, recorded are {numbers}")
    step_before: Step | None = None
    own = own_steps(folder)
    for place, update in enumerate(made[:steps]):
        step = read_step(update.path)
        if not step.losses:  # a synchronous one: of all workers
            parts = [read_step(files[place]) for files in own]
            step.gradients = _dense(step)
            step.losses = [loss for part in parts for loss in part.losses]
            step.tower_gradients = [part.gradients for part in parts if part.gradients]
            step.moved_to = [moved for part in parts for moved in part.moved_to]
            step.rates = [rates for part in parts for rates in part.rates]
            step.summaries = parts[0].summaries if parts else {}
        # a worker sees no variable that another worker's graph alone has, nor changes it
        if step_before is not None:
            variables, after = step_before.after | step.variables, step_before.after | step.after
            step = dataclasses.replace(step, variables=variables, after=after)
        yield step
        step_before = step


def _dense(step: Step) -> Arrays:
    """The applied gradients; the mean of the workers' is dense, also of rows (docs/semantics.md)."""
    found = {name: value for name, value in step.gradients.items() if "//" not in name}
    for name in {key.partition("//")[0] for key in step.gradients} - set(found):
        values, rows = step.gradients[f"{name}//values"], step.gradients[f"{name}//indices"]
        whole = added_up(values, rows, step.variables[name].shape, values.dtype)
        assert whole is not None
        found[name] = whole
    return found


def _in_order(folder: Path) -> list[tuple[_Update, Path | None]]:
    """The updates, and the step of the same worker's own that has the same place."""
    made: list[tuple[_Update, Path | None]] = []
    for worker in workers_in(folder):
        updates, own = _files(worker / UPDATES), _files(worker / OWN)
        made += [(_made(path), step) for path, step in zip_longest(updates, own[: len(updates)])]
    numbered = all(update.number for update, _ in made)
    return sorted(made, key=lambda update: update[0].number if numbered else update[0].when)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*.npz"))


def _made(path: Path) -> _Update:
    key = f"after|{GLOBAL_STEP}"
    with np.load(path) as flat:
        return _Update(int(flat[key]) if key in flat.files else 0, float(flat["when|"]), path)
