"""One of the two trainings, as its tasks report it; one process is a task, 'worker 0'."""

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

NOTHING = "-"  # printed for a missing number
_KEPT = 1000  # the number of lines kept of the script's output
_LINE_EVERY = 5.0  # seconds between two lines of progress


def number(value: float | None) -> str:
    """A loss as text."""
    if value is None:
        return NOTHING
    return f"{value:.4f}" if math.isfinite(value) and abs(value) < 1e5 else f"{value:g}"


@dataclass(frozen=True)
class StepLine:
    """One call that trained.

    Attributes:
        number: the step's number, from 1; where the call made several steps, that of the last.
        end: when the call ended, in seconds since the start, without the time that only watching
            takes.
        seconds: per step, since the end of the call before; for the first call, since its start.
            Where workers step independently: the mean over as many steps as there are workers.
        loss: that of the step; None where it was not seen.
    """

    number: int
    end: float
    seconds: float
    loss: float | None


class EnoughSteps(Exception):
    """Raised when the requested number of steps is reached."""


@dataclass
class Side(Watcher):
    """The state of a training: collects its tasks' lines, and prints its progress at intervals.

    Where workers train asynchronously, each worker's step is an update and counts. Each worker
    reports an update that they make together; the chief's report counts, with the mean of all
    losses. Memory is that of all tasks. Facts on a process (its Python, the time that watching
    takes) are the chief's.

    Attributes:
        workers: the number of workers.
        chief: the task that leads the others; in a program of one process its only one.
        most: the number of steps after which the training is stopped; None: it runs to its end.
        synchronous: whether the workers make each update together.
        seconds: from the start of the training to its end.
        resumed: the number of steps made by an earlier run, whose checkpoint was restored.
        wrote: the script's last lines of output, prefixed with the task where there are several.
    """

    title: str
    script: Path
    workers: int = 1
    most: int | None = None
    chief: str = "worker 0"
    steps: list[StepLine] = field(default_factory=list)
    synchronous: bool = False
    python: str = ""
    tensorflow: str = ""
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    resumed: int | None = None
    wrote: list[str] = field(default_factory=list)
    started: float = 0.0
    _shown: float = field(default_factory=time.monotonic)  # when the progress was last printed
    _aside: float = 0.0
    _towers: int = 1  # the number of one worker's towers
    _peaks: dict[str, int] = field(default_factory=dict)  # largest memory by task
    _losses: list[list[float]] = field(default_factory=list)  # the workers' losses of each update, so far
    _reported: dict[str, int] = field(default_factory=dict)  # how many updates each worker has reported
    _last: list[tuple[float, int]] = field(default_factory=list)  # the last calls' end times and steps

    def begin(self) -> None:
        """Prints the title and starts the clock; called just before the processes start."""
        print(f"{self.title}: {self.script}", flush=True)
        self.started = self._shown = time.monotonic()

    def end(self) -> None:
        """Stops the clock."""
        self.seconds = time.monotonic() - self.started - self._aside

    @property
    def count(self) -> int:
        """The number of steps made."""
        return self.steps[-1].number if self.steps else 0

    @property
    def towers(self) -> int:
        """The number of towers of one update."""
        return self._towers * (self.workers if self.synchronous else 1)

    @property
    def peak(self) -> int | None:
        """The sum over all tasks of their largest resident memory, in bytes."""
        return sum(self._peaks.values()) or None

    def lines(self, task: Task, lines: Sequence[str]) -> None:
        """Processes the lines that a task wrote.

        Raises:
            EnoughSteps: the last requested step is made.
        """
        for line in lines:
            if line.startswith(MARK):
                self.take(task.name, json.loads(line.removeprefix(MARK)))
            elif line.strip():
                self.wrote.append(
                    line if self.workers == 1 and task.name == self.chief else f"[{task.name}] {line}"
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
        """Processes one report of a task; for reports see `watch.steps`."""
        event = line.get("event")
        if line.get("peak"):
            self._peaks[task] = max(line["peak"], self._peaks.get(task, 0))
        if event == "step":
            self._take_step(task, line)
        elif event == "note" and line["text"] not in self.notes:
            self.notes.append(line["text"])
        elif task == self.chief and event == "facts":
            self.python = line.get("python", self.python)
            self.tensorflow = line.get("tensorflow", self.tensorflow)
            self._towers = line.get("towers", self._towers)
        elif task == self.chief and event == "aside":
            self._aside += line["seconds"]
        # before the chief's first step, other workers may make steps, and may not yet have reported
        # the last
        elif task == self.chief and event == "resumed" and line["step"] >= self.count + self.workers:
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
        if task == self.chief:
            self._add(line)
        if losses and place <= len(self.steps):
            mean = statistics.fmean(losses)
            self.steps[place - 1] = dataclasses.replace(self.steps[place - 1], loss=mean)

    def _add(self, line: dict[str, Any]) -> None:
        end, made = line["end"], line.get("steps", 1)
        if self._last:
            end = max(end, self._last[-1][0])  # workers do not report in the order in which their calls end
        begin = self._last[0][0] if self._last else line["begin"]
        between = made + sum(steps for _, steps in self._last[1:])
        apart = 1 if self.synchronous else self.workers
        self._last = [*self._last, (end, made)][-apart:]
        number, passed = self.count + made, end - self.started - self._aside
        self.steps.append(StepLine(number, passed, (end - begin) / between, line.get("loss")))
