"""What the workers of a cluster have recorded, put together in the order of the updates."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tf2towers.parity.recording import Arrays, Recording, Step


@dataclass
class Update:
    """One change of the variables.

    `before` are the weights it was made on, `gradients` what the optimizer was given, `after` all variables behind it:
    weights, optimizer slots, global step; by TF1 name. `loss` is the worker's whose gradients they are, where one's.
    `when` it was made, in seconds of this machine's monotonic clock, which all its processes share.
    """

    before: Arrays
    gradients: Arrays
    after: Arrays = field(default_factory=dict)
    loss: np.ndarray | None = None
    when: float = field(default_factory=time.monotonic)


@dataclass
class WorkerRecording:
    """What one worker's process has seen.

    `updates` are those it made; `losses` those of its own steps where others made the updates; `inputs` what crossed
    into the graph at each of its own steps, by name in the order of creation, and `draws` its random numbers; `handed`
    what it handed in for the mean of a synchronous step.
    """

    updates: list[Update] = field(default_factory=list)
    losses: list[np.ndarray] = field(default_factory=list)
    inputs: list[Arrays] = field(default_factory=list)
    handed: list[Arrays] = field(default_factory=list)
    draws: list[list[np.ndarray]] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Writes everything to one .npz file."""
        flat: Arrays = {f"loss|{place}|": loss for place, loss in enumerate(self.losses)}
        for place, update in enumerate(self.updates):
            for kind in ("before", "gradients", "after"):
                flat |= {f"{kind}|{place}|{name}": value for name, value in getattr(update, kind).items()}
            flat[f"when|{place}|"] = np.float64(update.when)
            if update.loss is not None:
                flat[f"own|{place}|"] = update.loss
        for kind, own in (("input", self.inputs), ("handed", self.handed)):
            for place, arrays in enumerate(own):
                flat |= {f"{kind}|{place}|{name}": value for name, value in arrays.items()}
        for place, draws in enumerate(self.draws):
            flat |= {f"draw|{place}|{number}": value for number, value in enumerate(draws)}
        part = path.with_suffix(".part")  # another process may be waiting for it
        with part.open("wb") as stream:
            np.savez(stream, **flat)  # type: ignore[arg-type]
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> WorkerRecording:
        """Reads what `save` wrote."""
        recording = cls()
        with np.load(path) as flat:
            for key in flat.files:
                kind, place, name = key.split("|", 2)
                if kind == "loss":
                    recording.losses.append(flat[key])
                    continue
                if kind in ("input", "handed"):
                    own = recording.inputs if kind == "input" else recording.handed
                    while len(own) <= int(place):
                        own.append({})
                    own[int(place)][name] = flat[key]
                    continue
                if kind == "draw":
                    while len(recording.draws) <= int(place):
                        recording.draws.append([])
                    recording.draws[int(place)].append(flat[key])
                    continue
                while len(recording.updates) <= int(place):
                    recording.updates.append(Update({}, {}))
                update = recording.updates[int(place)]
                if kind == "own":
                    update.loss = flat[key]
                elif kind == "when":
                    update.when = float(flat[key])
                else:
                    getattr(update, kind)[name] = flat[key]
        return recording


def load_workers(folder: Path) -> list[WorkerRecording]:
    """Every worker's recording in a folder, worker 0's first."""
    paths = sorted(folder.glob("worker-*.npz"), key=lambda path: int(path.stem.partition("-")[2]))
    return [WorkerRecording.load(path) for path in paths]


def merge(workers: list[WorkerRecording], steps: int, global_step: str = "global_step") -> Recording:
    """The first `steps` updates of a cluster as one run; the losses of a step in the order of the workers.

    They are in the order of the global step, where there is one of that name, else of time.

    Raises:
        ValueError: there were fewer, or two claim to be the same.
    """
    updates = sorted(
        (update for worker in workers for update in worker.updates), key=lambda update: update.when
    )
    if all(global_step in update.after for update in updates):
        updates.sort(key=lambda update: int(update.after[global_step]))
        numbers = [int(update.after[global_step]) for update in updates]
        if numbers[:steps] != list(range(1, steps + 1)):
            raise ValueError(f"updates 1 to {steps} were expected, recorded are {numbers}")
    recording = Recording()
    before: Arrays = updates[0].before
    for place, update in enumerate(updates[:steps]):
        losses = [update.loss] if update.loss is not None else [worker.losses[place] for worker in workers]
        handed = [worker.handed[place] for worker in workers if len(worker.handed) > place]
        recording.steps.append(Step(before, update.after, update.gradients, handed, losses))
        before = update.after
    return recording
