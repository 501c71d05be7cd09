"""What `tf2towers.verify.recorder.calls` has written, call by call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tf2towers.report.parity_result import Kind

#: what a call has, in the order in which a difference is looked for
KINDS: tuple[Kind, ...] = ("input", "fetched", "gradient", "summary", "variable")


@dataclass
class Thread:
    """Calls of threads other than the main one.

    Attributes:
        fetches: what they fetch.
        calls: how many there were.
        writes: the variables that they may change.
        shared: those of them that the main thread's calls use, too.
    """

    fetches: str
    calls: int
    writes: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)


@dataclass
class Call:
    """A session call.

    Attributes:
        number: from 0.
        session: the number of its session, in its process.
        file, line: the script's innermost line.
        inputs: the names of the tensors that are fed; each variable's value has one name in TF1 and another in TF 2.
        fetches: name, kind of value and whether it was a hook's, one for each value.
        error: the name of what it raised; empty if it returned.
        trains: it runs an update of an optimizer.
        values: by kind, by name: arrays; the name of an input or a fetched value is its place.
        worker: whose it is; None in a program of one process.
    """

    number: int
    session: int
    file: str
    line: int
    inputs: list[str]
    fetches: list[list[Any]]
    error: str
    trains: bool
    values: dict[str, dict[str, np.ndarray]]
    worker: int | None = None

    @property
    def place(self) -> str:
        """As 'train.py, line 44', 'worker 1: train.py, line 44'."""
        worker = "" if self.worker is None else f"worker {self.worker}: "
        return worker + (f"{self.file}, line {self.line}" if self.line else "no line of the script")


class Run:
    """A side that has been run; of a cluster, one worker's calls after the other's.

    Args:
        folders: of the recording, one for each worker.
        seconds: the whole process.
    """

    def __init__(self, folders: Sequence[Path], seconds: float) -> None:
        self._folders, self.seconds = list(folders), seconds
        found: list[dict[str, Any]] = [
            json.loads((folder / "meta.json").read_text(encoding="utf-8")) for folder in folders
        ]
        self.tensorflow, self.python = str(found[0]["tensorflow"]), str(found[0]["python"])
        self.calls, self.trained = (
            sum(facts["calls"] for facts in found),
            sum(facts["trained"] for facts in found),
        )
        self.towers = max(facts["towers"] for facts in found)
        self.open: list[list[str]] = [pair for each in found for pair in each.get("open", ())]
        self.of_original: list[str] = found[0].get("of_original", [])
        self.trainable: list[str] = found[0]["trainable"]
        queues = [each.get("queues") or {} for each in found]
        #: queues whose elements come as threads happen to run, and why; those that could not be kept or given
        self.chance: dict[str, str] = {
            name: why for each in queues for name, why in each.get("chance", {}).items()
        }
        self.constants: dict[str, str] = {
            name: value for each in queues for name, value in each.get("constants", {}).items()
        }
        self.lost: list[str] = sorted({name for each in queues for name in each.get("lost", ())})
        self.threads = [Thread(**thread) for each in found for thread in each["threads"]]

    def __iter__(self) -> Iterator[Call]:
        number = 0
        for worker, folder in enumerate(self._folders):
            for path in sorted(folder.glob("step-*.npz")):
                with np.load(path) as flat:
                    call = _call(number, {name: flat[name] for name in flat.files})
                if len(self._folders) > 1:
                    call.worker = worker
                yield call
                number += 1


def _call(number: int, flat: dict[str, np.ndarray]) -> Call:
    about = json.loads(flat.pop("about").tobytes().decode("utf-8"))
    values: dict[str, dict[str, np.ndarray]] = {}
    for key, value in flat.items():
        kind, _, name = key.removeprefix("digest|").partition("|")
        values.setdefault(kind, {})[name] = value
    return Call(number=number, values=values, **about)
