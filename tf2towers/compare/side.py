"""One of the two trainings, as its tasks report it; a program of one process is one task, 'worker 0'."""

from __future__ import annotations

import dataclasses
import json
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tf2towers.compare.watch.steps import MARK
from tf2towers.launch.cluster import Task
from tf2towers.launch.job import Watcher

CHIEF = "worker 0"
NOTHING = "-"  # for a number that is not there
_KEPT = 1000  # of what the script wrote, the last lines
_LINE_EVERY = 5.0  # seconds between two lines of progress


def number(value: float | None) -> str:
    """A loss."""
    if value is None:
        return NOTHING
    return f"{value:.4f}" if math.isfinite(value) and abs(value) < 1e5 else f"{value:g}"


@dataclass(frozen=True)
class StepLine:
    """One call that trained.

    Attributes:
        number: of the step, from 1; of the last one where the call made several.
        end: when it was over, in seconds since the start, but for what only a watched process does.
        seconds: per step, since the call before was over; of the first, since it began. Where workers make steps side
            by side: the mean of the last ones, one a worker.
        loss: of the step; None: not seen.
    """

    number: int
    end: float
    seconds: float
    loss: float | None


class EnoughSteps(Exception):
    """As many steps are made as were asked for."""


@dataclass
class Side(Watcher):
    """What is known of a training so far; takes the lines that its tasks write, and says now and then how far it is.

    Asynchronous, each worker's step is an update of its own, and counts. An update that workers make together is
    reported by each: the chief's line counts, with the mean of their losses. Memory is that of all tasks. Of what a
    process reports of itself (its Python, what only a watched one does) the chief's counts.

    Attributes:
        workers: how many there are.
        most: after so many steps it is ended; None: when it ends by itself.
        synchronous: the workers make each update together.
        seconds: that it ran, from start to end.
        resumed: the steps that an earlier run had made.
        wrote: the last lines of the script's own, with the task where there are several.
    """

    title: str
    script: Path
    workers: int = 1
    most: int | None = None
    steps: list[StepLine] = field(default_factory=list)
    synchronous: bool = False
    python: str = ""
    tensorflow: str = ""
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    resumed: int | None = None
    wrote: list[str] = field(default_factory=list)
    started: float = 0.0
    _shown: float = field(default_factory=time.monotonic)  # when it was last said how far it is
    _aside: float = 0.0
    _towers: int = 1  # of one worker
    _peaks: dict[str, int] = field(default_factory=dict)  # by task
    _losses: list[list[float]] = field(default_factory=list)  # of each update, those of the workers so far
    _reported: dict[str, int] = field(default_factory=dict)  # how many updates each worker has reported
    _last: list[tuple[float, int]] = field(default_factory=list)  # ends of calls, steps made

    def begin(self) -> None:
        """Its processes are about to be started."""
        print(f"{self.title}: {self.script}", flush=True)
        self.started = self._shown = time.monotonic()

    def end(self) -> None:
        """It is over."""
        self.seconds = time.monotonic() - self.started - self._aside

    @property
    def count(self) -> int:
        """Steps made."""
        return self.steps[-1].number if self.steps else 0

    @property
    def towers(self) -> int:
        """Of one update."""
        return self._towers * (self.workers if self.synchronous else 1)

    @property
    def peak(self) -> int | None:
        """Resident bytes at most: the sum of all tasks' peaks."""
        return sum(self._peaks.values()) or None

    def lines(self, task: Task, lines: Sequence[str]) -> None:
        """Takes what a task wrote.

        Raises:
            EnoughSteps: it has made the last step that was asked for.
        """
        for line in lines:
            if line.startswith(MARK):
                self.take(task.name, json.loads(line.removeprefix(MARK)))
            elif line.strip():
                self.wrote.append(
                    line if self.workers == 1 and task.name == CHIEF else f"[{task.name}] {line}"
                )
        del self.wrote[:-_KEPT]
        if time.monotonic() - self._shown >= _LINE_EVERY:
            self._shown = time.monotonic()
            losses = (step.loss for step in reversed(self.steps) if step.loss is not None)
            far = f"step {self.count}, loss {number(next(losses, None))}" if self.steps else "no step yet"
            print(f"{self.title}: {far}", flush=True)
        if self.resumed is not None or (self.most is not None and self.count >= self.most):
            self.steps = [step for step in self.steps if self.most is None or step.number <= self.most]
            raise EnoughSteps

    def take(self, task: str, line: dict[str, Any]) -> None:
        """Takes one report of a task; see `watch.steps`."""
        event = line.get("event")
        if line.get("peak"):
            self._peaks[task] = max(line["peak"], self._peaks.get(task, 0))
        if event == "step":
            self._take_step(task, line)
        elif event == "note" and line["text"] not in self.notes:
            self.notes.append(line["text"])
        elif task == CHIEF and event == "facts":
            self.python = line.get("python", self.python)
            self.tensorflow = line.get("tensorflow", self.tensorflow)
            self._towers = line.get("towers", self._towers)
        elif task == CHIEF and event == "aside":
            self._aside += line["seconds"]
        # other workers may have made steps before the chief's first one, and not all have reported their last
        elif task == CHIEF and event == "resumed" and line["step"] >= self.count + self.workers:
            self.resumed = line["step"]

    def _take_step(self, task: str, line: dict[str, Any]) -> None:
        if line.get("together") is None:
            self._add(line)
            return
        self.synchronous = True
        place = self._reported[task] = self._reported.get(task, 0) + 1
        self._losses += [[] for _ in range(place - len(self._losses))]
        losses = self._losses[place - 1]
        if line.get("loss") is not None:
            losses.append(line["loss"])
        if task == CHIEF:
            self._add(line)
        if losses and place <= len(self.steps):
            mean = statistics.fmean(losses)
            self.steps[place - 1] = dataclasses.replace(self.steps[place - 1], loss=mean)

    def _add(self, line: dict[str, Any]) -> None:
        end, made = line["end"], line.get("steps", 1)
        if self._last:
            end = max(end, self._last[-1][0])  # workers do not report in the order of their ends
        begin = self._last[0][0] if self._last else line["begin"]
        between = made + sum(steps for _, steps in self._last[1:])
        apart = 1 if self.synchronous else self.workers
        self._last = [*self._last, (end, made)][-apart:]
        number, passed = self.count + made, end - self.started - self._aside
        self.steps.append(StepLine(number, passed, (end - begin) / between, line.get("loss")))
