"""One of the two trainings where it is a cluster: the lines of its tasks, merged."""

from __future__ import annotations

import dataclasses
import statistics
from dataclasses import dataclass, field
from typing import Any

from tf2towers.sidebyside.side import ActiveClock, Side

CHIEF = "worker 0"


@dataclass
class ClusterSide(Side):
    """What is known of a cluster's training so far.

    Asynchronous, each worker's step is an update of its own, and counts. An update that workers make together is told
    of by each: the chief's line counts, with the examples of all and the mean of their losses. Memory is that of all
    tasks. Of what is told of a process (its Python, what only a watched one does) the chief's counts.

    Attributes:
        workers: how many there are.
        synchronous: the workers make each update together.
    """

    workers: int = 1
    synchronous: bool = False
    _memory: dict[str, int] = field(default_factory=dict)  # by task
    _peaks: dict[str, int] = field(default_factory=dict)
    _losses: list[list[float]] = field(default_factory=list)  # of each update, those of the workers so far
    _told: dict[str, int] = field(default_factory=dict)  # how many updates each worker has told of
    _towers: int = 1  # of one worker

    def __post_init__(self) -> None:
        self.apart = self.workers

    def heard(self, line: dict[str, Any], clock: ActiveClock) -> None:
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
            # other workers may have made steps before the chief's first one, and not all have told of their last
            if task == CHIEF and line["step"] >= self.count + self.workers:
                super().heard(line, clock)
        elif event == "note":
            if line["text"] not in self.notes:
                super().heard(line, clock)
        elif event == "accuracy" or task == CHIEF:
            super().heard(line, clock)
            self._towers = line.get("towers", self._towers)
            self._count_towers()

    def _of_worker(self, task: str, line: dict[str, Any], clock: ActiveClock) -> None:
        line = {**line, "memory": sum(self._memory.values()) or None, "peak": self.peak}
        together = line.get("together")
        if together is None:
            super().heard(line, clock)
            return
        self.synchronous, self.apart = True, 1
        self._count_towers()
        place = self._told[task] = self._told.get(task, 0) + 1
        losses = self._losses_of(place - 1)
        if line.get("loss") is not None:
            losses.append(line["loss"])
        if task == CHIEF:
            if line.get("examples") is not None:
                line["examples"] *= together
            super().heard(line, clock)
        if losses and place <= len(self.steps):
            step = self.steps[place - 1]
            self.steps[place - 1] = dataclasses.replace(step, loss=statistics.fmean(losses))

    def _losses_of(self, place: int) -> list[float]:
        while len(self._losses) <= place:
            self._losses.append([])
        return self._losses[place]

    def _count_towers(self) -> None:
        self.towers = self._towers * (self.workers if self.synchronous else 1)
