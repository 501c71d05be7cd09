"""One of the two trainings where it is a cluster: the lines of its tasks, merged."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tf2towers.compare.child import Child
from tf2towers.compare.dialect import find_shape, has_cluster
from tf2towers.compare.errors import CompareError
from tf2towers.compare.side import ActiveClock, Side
from tf2towers.launch.cluster import Shape, tasks_of, words
from tf2towers.launch.errors import LaunchError
from tf2towers.launch.leftovers import signal_marked

CHIEF = "worker 0"


@dataclass
class ClusterSide(Side):
    """What is known of a cluster's training so far.

    Asynchronous, each worker's step is an update of its own, and counts. An update that workers make together is
    reported by each: the chief's line counts, with the examples of all and the mean of their losses. Memory is that of
    all tasks. Of what a process reports of itself (its Python, what only a watched one does) the chief's counts.

    Attributes:
        workers: how many there are.
        synchronous: the workers make each update together.
    """

    workers: int = 1
    synchronous: bool = False
    _memory: dict[str, int] = field(default_factory=dict)  # by task
    _peaks: dict[str, int] = field(default_factory=dict)
    _losses: list[list[float]] = field(default_factory=list)  # of each update, those of the workers so far
    _reported: dict[str, int] = field(default_factory=dict)  # how many updates each worker has reported
    _towers: int = 1  # of one worker

    def __post_init__(self) -> None:
        self.apart = self.workers

    def take_entry(self, line: dict[str, Any], clock: ActiveClock) -> None:
        """A line of a task; one without a task is the chief's."""
        task, event = line.get("task", CHIEF), line.get("event")
        if line.get("memory"):
            self._memory[task] = line["memory"]
        if line.get("peak"):
            self._peaks[task] = max(line["peak"], self._peaks.get(task, 0))
            self.peak = sum(self._peaks.values())
        if event == "step":
            self._of_worker(task, line, clock)
        elif event == "resumed":
            # other workers may have made steps before the chief's first one, and not all have reported their last
            if task == CHIEF and line["step"] >= self.count + self.workers:
                super().take_entry(line, clock)
        elif event == "note":
            if line["text"] not in self.notes:
                super().take_entry(line, clock)
        elif event == "accuracy" or task == CHIEF:
            super().take_entry(line, clock)
            self._towers = line.get("towers", self._towers)
            self._count_towers()

    def _of_worker(self, task: str, line: dict[str, Any], clock: ActiveClock) -> None:
        line = {**line, "memory": sum(self._memory.values()) or None, "peak": self.peak}
        together = line.get("together")
        if together is None:
            super().take_entry(line, clock)
            return
        self.synchronous, self.apart = True, 1
        self._count_towers()
        place = self._reported[task] = self._reported.get(task, 0) + 1
        losses = self._losses_of(place - 1)
        if line.get("loss") is not None:
            losses.append(line["loss"])
        if task == CHIEF:
            if line.get("examples") is not None:
                line["examples"] *= together
            super().take_entry(line, clock)
        if losses and place <= len(self.steps):
            step = self.steps[place - 1]
            self.steps[place - 1] = dataclasses.replace(step, loss=statistics.fmean(losses))

    def _losses_of(self, place: int) -> list[float]:
        while len(self._losses) <= place:
            self._losses.append([])
        return self._losses[place]

    def _count_towers(self) -> None:
        self.towers = self._towers * (self.workers if self.synchronous else 1)


# -- a cluster as the child of a race: one launcher, the FIFO of all its tasks, all of its processes held at once ------

_LAUNCHER = Path(__file__).with_name("cluster_launcher.py")


def launch_command(shape: Shape, python: str, script: Path, arguments: Sequence[str]) -> list[str]:
    """The command that runs a script as a cluster.

    Args:
        arguments: of every task, without those that say which it is.
    """
    settings = {
        "ps": shape.ps,
        "workers": shape.workers,
        "task_flags": shape.task_flags,
        "python": python,
        "script": str(script),
        "args": list(arguments),
    }
    return [sys.executable, str(_LAUNCHER), json.dumps(settings)]


class ClusterChild(Child):
    """The launcher of a cluster, and its tasks, which are found by the mark in their environment (Linux).

    Args:
        fifo: a path for the pipe on which they report their steps.
    """

    def __init__(
        self, side: Side, command: Sequence[str], environment: Mapping[str, str], log: Path, fifo: Path
    ) -> None:
        super().__init__(side, command, environment, log)
        self._fifo = fifo

    def _open_pipe(self) -> tuple[str, list[int]]:
        try:
            os.mkfifo(self._fifo)
            # for writing as well: a pipe that nobody could write to would always be at its end
            self.pipe = os.open(self._fifo, os.O_RDWR | os.O_NONBLOCK)
        except OSError as problem:
            raise CompareError(f"{self._fifo}: {problem.strerror}") from None
        return str(self._fifo), []

    def _send(self, number: signal.Signals) -> bool:
        sent = super()._send(number)  # the launcher first, which then starts nobody
        if sent and self._process is not None:
            with contextlib.suppress(OSError):
                signal_marked(self._process.mark, number)
        return sent


# -- whether the two are clusters, and of how many tasks ---------------------------------------------------------------


def shape_of(
    legacy: Path,
    modern: Path,
    ps: int | None = None,
    workers: int | None = None,
    task_flags: str | None = None,
) -> Shape | None:
    """The cluster to run each side as; None where both are of one process.

    Args:
        ps, workers, task_flags: as the user says; one that says nothing has 1 and 2 where a script starts servers.

    Raises:
        CompareError: one is a task of a cluster, and the other is not; or these numbers do not make a cluster.
    """
    shape = find_shape((legacy, modern), ps, workers, task_flags)
    if shape is None:
        return None
    for mine, its in ((legacy, modern), (modern, legacy)):
        if has_cluster(mine) and not has_cluster(its):
            raise CompareError(
                f"{mine} is a task of a cluster, and {its} is a program of one process: it uses neither a "
                "tf.train.Server nor a strategy of several workers. Only two clusters or two programs of one process "
                "can be compared"
            )
    if not sys.platform.startswith("linux"):
        raise CompareError("clusters are compared on Linux only, where all processes of one can be found")
    try:
        tasks_of(shape.ps, shape.workers)
        words(shape.task_flags)
    except LaunchError as problem:
        raise CompareError(str(problem)) from None
    return shape


def describe_shape(shape: Shape) -> str:
    """Such as '1 parameter server and 2 workers'."""
    servers = f"{shape.ps} parameter server{'s' * (shape.ps != 1)}"
    return f"{servers} and {shape.workers} worker{'s' * (shape.workers != 1)}"
