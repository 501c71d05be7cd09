"""Runs both trainings to their ends, in turns or at once."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Sequence

from tf2towers.compare.child import Child
from tf2towers.compare.errors import CompareError, has_resumed, never_trained
from tf2towers.verify.process import last_lines

TICK = 0.05  # seconds between two looks at who has ended
SHOWN = 25  # of the last lines of one that failed, without what TensorFlow says about itself


# -- whose turn it is: two trainings on few cores take turns, so that neither slows the other down ---------------------

FEW_CORES = 4
SECONDS = 1.5
_PATIENCE = 5.0  # times the last step's seconds, that the end of the step under way is waited for


class Turn:
    """A turn: it is over after some seconds, at the end of a step where steps are being made.

    Args:
        began: by `time.monotonic()`.
        seconds: that it lasts at least.
    """

    def __init__(self, began: float, seconds: float = SECONDS) -> None:
        self._due = began + seconds
        self._seconds = seconds

    def is_over(self, now: float, step_ended: bool, step_seconds: float | None) -> bool:
        """Whether this turn is over, so that the other side goes on.

        Args:
            now: by the same clock as `began`.
            step_ended: a step has just ended.
            step_seconds: how long the last step was; None: there has been none, as during imports.
        """
        if now < self._due:
            return False
        if step_ended or step_seconds is None:
            return True
        return now >= self._due + max(self._seconds, _PATIENCE * step_seconds)


# -- the race ----------------------------------------------------------------------------------------------------------


class Interrupted(Exception):
    """A signal to end came; `number` is its."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Race:
    """Two children that are about to run.

    Args:
        turn_seconds: of each turn; None: both at once.
        steps: after which a training is ended; None: when it ends by itself.
        timeout: seconds after which both are stopped; None: never.
        signals: numbers of the signals to end, added to as they come.
        look: called again and again.
    """

    def __init__(
        self,
        children: Sequence[Child],
        turn_seconds: float | None = SECONDS,
        steps: int | None = None,
        timeout: float | None = None,
        signals: Sequence[int] = (),
        look: Callable[[], object] = lambda: None,
    ) -> None:
        self._children = children
        self._turn_seconds, self._steps, self._timeout = turn_seconds, steps, timeout
        self._signals, self._look = signals, look

    def run(self) -> None:
        """Runs them; nothing of them runs afterwards, whatever happens.

        Raises:
            CompareError: one failed, never trained or went on from a checkpoint, or the time is over; the message has
                the end of its output.
            Interrupted: a signal came.
        """
        deadline = None if self._timeout is None else time.monotonic() + self._timeout
        try:
            if self._turn_seconds is None:
                for child in self._children:
                    child.start()
            current, turn = self._next(None)
            while running := [child for child in self._children if child.status is None]:
                if self._signals:
                    raise Interrupted(self._signals[0])
                if deadline is not None and time.monotonic() >= deadline:
                    raise CompareError(f"not over after {self._timeout:g} seconds: {self._progress()}")
                stepped = self._read(running)
                self._check(running)
                self._look()
                if current is None:
                    continue
                if current.status is not None:
                    current, turn = self._next(current)
                    continue
                last = current.side.steps[-1].seconds if current.side.steps else None
                if len(running) > 1 and turn.is_over(time.monotonic(), current in stepped, last):
                    current.hold()
                    current, turn = self._next(current)
        finally:
            for child in self._children:
                child.end()

    def _next(self, current: Child | None) -> tuple[Child | None, Turn]:
        """The other one goes on, or the first, or whoever is left."""
        turn = Turn(time.monotonic(), self._turn_seconds or 0.0)
        if self._turn_seconds is None:
            return None, turn
        for child in self._children:
            if child is not current and child.status is None:
                child.resume()
                return child, turn
        return current, turn

    def _read(self, running: Sequence[Child]) -> list[Child]:
        """Waits up to a tick for lines; the children that a step has ended of."""
        pipes = {child.pipe: child for child in running if child.started}
        ready, _, _ = select.select(list(pipes), [], [], TICK)
        if any(pipes[pipe].has_ended() for pipe in pipes):
            return []
        return [pipes[pipe] for pipe in ready if pipes[pipe].read()]

    def _check(self, running: Sequence[Child]) -> None:
        for child in running:
            side = child.side
            if side.resumed is not None:
                raise has_resumed(side.script, side.resumed)
            if self._steps is not None and side.count >= self._steps and not child.has_ended():
                child.end()
                side.steps = [step for step in side.steps if step.number <= self._steps]
            if not child.started or not child.has_ended():
                continue
            if child.status:
                raise CompareError(f"{side.script} ended with status {child.status}{_last_output(child)}")
            if not side.steps:
                raise never_trained(side.script, _last_output(child))

    def _progress(self) -> str:
        return ", ".join(f"{child.side.script} has made {child.side.count} steps" for child in self._children)


def _last_output(child: Child) -> str:
    log = child.side.log
    text = log.read_text(encoding="utf-8", errors="replace") if log is not None and log.exists() else ""
    lines = [f"  {line}" for line in last_lines(text.splitlines(), SHOWN).splitlines()]
    return "; it wrote last:\n" + "\n".join(lines) if lines else "; it wrote nothing"
