"""One of the two trainings, as its lines report it."""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class StepLine:
    """One call that trained.

    Attributes:
        number: of the step, from 1; of the last one where the call made several.
        end: when it was over, in seconds that the process had run.
        seconds: per step, since the call before was over, without the time the process was held; of the first, since
            it began. Where workers make steps side by side: the mean of the last ones, one a worker.
        interrupted: the process was held within them: caches are cold, threads have to start again.
        loss: of the step; None: not seen.
        examples: of one step; None: not known.
        memory: resident bytes at its end.
    """

    number: int
    end: float
    seconds: float
    interrupted: bool
    loss: float | None
    examples: int | None
    memory: int | None


@dataclass
class Side:
    """What is known of a training so far.

    Attributes:
        log: the file that its output goes to.
    """

    title: str
    script: Path
    log: Path | None = None
    steps: list[StepLine] = field(default_factory=list)
    peak: int | None = None
    towers: int = 1
    python: str = ""
    tensorflow: str = ""
    accuracy: float | None = None
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0  # that it ran, from start to end
    aside: float = 0.0  # of the time that it ran, seconds in which it did what only a watched process does
    resumed: int | None = None  # the steps that an earlier run had made
    given_weights: bool = False  # it began with the weights that it was to begin with
    ended: bool = False
    #: workers whose steps are made side by side: a step's time is measured over so many of them
    apart: int = 1
    #: ends of calls, by the machine's time; steps made
    _last: list[tuple[float, int]] = field(default_factory=list)
    _asides: list[tuple[float, float]] = field(default_factory=list)  # since then: beginning, seconds

    @property
    def count(self) -> int:
        """Steps made."""
        return self.steps[-1].number if self.steps else 0

    def take(self, text: str, clock: ActiveClock) -> None:
        """A line that its process wrote; see `watch.lines`. Any other line is skipped."""
        try:
            line = json.loads(text)
        except ValueError:
            return
        if isinstance(line, dict):
            self.take_entry(line, clock)

    def take_entry(self, line: dict[str, Any], clock: ActiveClock) -> None:
        """Takes one decoded line of what the watched script reports."""
        event = line.get("event")
        if event == "step":
            self._step(line, clock)
        elif event == "facts":
            self.python = line.get("python", self.python)
            self.tensorflow = line.get("tensorflow", self.tensorflow)
            self.towers = line.get("towers", self.towers)
            self.given_weights = line.get("weights", self.given_weights)
        elif event == "accuracy":
            self.accuracy = line["value"]
        elif event == "note":
            self.notes.append(line["text"])
        elif event == "resumed":
            self.resumed = line["step"]
        elif event == "aside":
            seconds = clock.active(line["end"]) - clock.active(line["begin"])
            self.aside += seconds
            self._asides.append((line["begin"], seconds))

    def _step(self, line: dict[str, Any], clock: ActiveClock) -> None:
        end, made = line["end"], line.get("steps", 1)
        if self._last:
            end = max(end, self._last[-1][0])  # workers do not report in the order of their ends
        begin = self._last[0][0] if self._last else line["begin"]
        between = made + sum(steps for _, steps in self._last[1:])
        self._asides = [(at, seconds) for at, seconds in self._asides if at >= begin]
        aside = sum(seconds for _, seconds in self._asides)
        self._last = [*self._last, (end, made)][-self.apart :]
        self.peak = max(filter(None, (self.peak, line.get("peak"))), default=None)
        self.steps.append(
            StepLine(
                number=self.count + made,
                end=clock.active(end) - self.aside,
                seconds=(clock.active(end) - clock.active(begin) - aside) / between,
                interrupted=clock.interrupted(begin, end),
                loss=line.get("loss"),
                examples=line.get("examples"),
                memory=line.get("memory"),
            )
        )


# -- how long a process has been let run: the time since its start without the time it was held ------------------------


class ActiveClock:
    """Turns the machine's time into a process's own.

    Args:
        started: when the process was started, by `time.monotonic()`, which processes of a machine share.
    """

    def __init__(self, started: float) -> None:
        self.started = started
        self._stops: list[float] = []
        self._goes: list[float] = []  # as long as `_stops`, or one shorter: held now
        self._held = [0.0]  # how long it was held altogether before the stop of this index

    def stop(self, at: float) -> None:
        """The process is held from now on."""
        assert len(self._stops) == len(self._goes)
        self._stops.append(at)

    def resume(self, at: float) -> None:
        """The process runs again from now on."""
        assert len(self._stops) == len(self._goes) + 1
        self._goes.append(at)
        self._held.append(self._held[-1] + at - self._stops[-1])

    def active(self, at: float) -> float:
        """Seconds that the process has run until then, without those in which it was held."""
        stops_before = bisect_right(self._stops, at)
        held = self._held[stops_before - 1] if stops_before else 0.0
        if stops_before:
            end = self._goes[stops_before - 1] if stops_before <= len(self._goes) else at
            held += min(end, at) - self._stops[stops_before - 1]
        return at - self.started - held

    def interrupted(self, begin: float, end: float) -> bool:
        """Whether it was held at any time between the two."""
        stops = bisect_right(self._stops, end)
        return stops > 0 and (stops > len(self._goes) or self._goes[stops - 1] > begin)
