"""What the workers of a cluster have recorded, put together in the order of the updates.

FOLDER/worker-N  a folder of steps, see `tf2towers.verify.recorder.cluster`
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tf2towers.verify.recording import Facts, Step, dense, read_facts, read_step

GLOBAL_STEP = "global_step"


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
    return [sorted(worker.glob("step-*.npz")) for worker in workers_in(folder)]


def is_synchronous(folder: Path) -> bool:
    """Whether the workers make each update together."""
    files = [path for of_worker in own_steps(folder) for path in of_worker]
    if not files:
        return False
    with np.load(files[0]) as flat:
        return "together|" in flat.files


def updates(folder: Path) -> list[Path]:
    """The steps whose processes made the updates: in the order of the global step, where there is one, else of time."""
    return [update.path for update in _in_order(folder)]


def facts_of(folder: Path) -> Facts:
    """What worker 0 says of its run.

    Raises:
        FileNotFoundError: it has not come to that.
    """
    return read_facts(folder / "worker-0")


def merged(folder: Path, steps: int) -> Iterator[Step]:
    """The first `steps` updates of a cluster as the steps of one run; the losses of a step in the order of the workers.

    Raises:
        ValueError: there were fewer, or two claim to be the same.
    """
    made = _in_order(folder)
    if made and all(update.number for update in made):
        numbers = [update.number for update in made]
        if numbers[:steps] != list(range(1, steps + 1)):
            raise ValueError(f"updates 1 to {steps} were expected, recorded are {numbers}")
    step_before: Step | None = None
    own, together = own_steps(folder), is_synchronous(folder)
    for place, update in enumerate(made[:steps]):
        step = read_step(update.path)
        step = dataclasses.replace(step, inputs={}, draws=[], fetched=[])  # those are the worker's own
        if together:
            parts = [read_step(files[place]) for files in own]
            shapes = {name: value.shape for name, value in step.variables.items()}
            step.gradients = dense(
                step.gradients, shapes, np.float32
            )  # as the mean of rows is (docs/semantics.md)
            step.losses = [loss for part in parts for loss in part.losses]
            step.tower_gradients = [handed for part in parts for handed in part.tower_gradients]
            step.moved_to = [moved for part in parts for moved in part.moved_to]
            step.rates = [rates for part in parts for rates in part.rates]
            step.summaries = parts[0].summaries if parts else {}
        # a worker sees no variable that another worker's graph alone has, nor changes it
        if step_before is not None:
            variables, after = step_before.after | step.variables, step_before.after | step.after
            step = dataclasses.replace(step, variables=variables, after=after)
        yield step
        step_before = step


def _in_order(folder: Path) -> list[_Update]:
    steps = [path for of_worker in own_steps(folder) for path in of_worker]
    made = [update for path in steps if (update := _made(path)) is not None]
    numbered = all(update.number for update in made)
    return sorted(made, key=lambda update: update.number if numbered else update.when)


def _made(path: Path) -> _Update | None:
    """The update that a worker's process made in a step; None where it was another process."""
    key = f"after|{GLOBAL_STEP}"
    with np.load(path) as flat:
        if "when|" not in flat.files:
            return None
        return _Update(int(flat[key]) if key in flat.files else 0, float(flat["when|"]), path)
