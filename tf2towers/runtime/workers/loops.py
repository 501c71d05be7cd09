"""What a thread that runs a worker's loop knows: which worker it is, its training's services, whose turn it is."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import Any, Protocol

_here = threading.local()


class Loop(Protocol):
    """The services around a worker's loop."""

    def summaries_due(self) -> bool:
        """Whether the next step should return its summaries."""

    def after_step(self, summaries: Any) -> None:
        """Called after every step."""


def worker_index() -> int:
    """The worker whose loop this thread runs; 0 outside any."""
    return getattr(_here, "index", 0)


def current() -> Loop | None:
    """The services of this thread's loop."""
    return getattr(_here, "loop", None)


def set_current(loop: Loop | None) -> None:
    """Makes `loop` the services of this thread's loop."""
    _here.loop = loop


@contextlib.contextmanager
def as_worker(index: int, turns: Turns | None) -> Iterator[None]:
    """This thread runs the loop of worker `index`."""
    _here.index, _here.loop, _here.turns = index, None, turns
    try:
        yield
    finally:
        if turns is not None:
            turns.leave(index)
        _here.index, _here.loop, _here.turns = 0, None, None


@contextlib.contextmanager
def turn(trains: bool) -> Iterator[None]:
    """Waits for this worker's turn, where training steps go one after the other."""
    turns: Turns | None = getattr(_here, "turns", None)
    if turns is None or not trains:
        yield
        return
    turns.wait(_here.index)
    try:
        yield
    finally:
        turns.pass_on(_here.index)


class Turns:
    """A fixed order of the workers' training steps: 0, 1, ..., N - 1, 0, ... A worker that has ended is passed over."""

    def __init__(self, workers: int) -> None:
        self._waiting = list(range(workers))
        self._changed = threading.Condition()

    @staticmethod
    def wanted() -> bool:
        """Whether the environment asks for it: TF2TOWERS_SERIAL_SCHEDULE=1."""
        return os.environ.get("TF2TOWERS_SERIAL_SCHEDULE") == "1"

    def wait(self, index: int) -> None:
        """Returns when it is this worker's turn."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting[0] == index)

    def pass_on(self, index: int) -> None:
        """Ends the turn: the worker goes to the end of the line."""
        with self._changed:
            self._waiting.remove(index)
            self._waiting.append(index)
            self._changed.notify_all()

    def leave(self, index: int) -> None:
        """The worker has ended."""
        with self._changed:
            self._waiting.remove(index)
            self._changed.notify_all()
