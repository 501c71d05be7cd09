"""Closing a session ends its runs that wait, for a queue, a token, a parameter server: with CancelledError, as in TF1.

TensorFlow can cancel a function's call, but no public name says so; and what it would be cancelled by is one global
of `tensorflow.python.eager.cancellation`, whichever thread calls. Sessions run in many threads: each has its own here.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from tensorflow.python.eager import cancellation

_here = threading.local()


class Runs:
    """The runs of a session that are under way."""

    def __init__(self) -> None:
        _ask_the_thread()
        self._lock = threading.Lock()
        self._managers: set[Any] = set()
        self._over = False

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """A call in this block, in this thread, ends when `cancel` is called."""
        # one for each call: a call that fails cancels by it what else is under way
        manager = cancellation.CancellationManager()
        before = getattr(_here, "manager", None)
        with self._lock:
            self._managers.add(manager)
            over = self._over
        _here.manager = manager
        try:
            if over:
                manager.start_cancel()
            yield
        finally:
            _here.manager = before
            with self._lock:
                self._managers.discard(manager)

    def cancel(self) -> None:
        """Ends those that are under way, and every other one at its beginning."""
        with self._lock:
            self._over = True
            managers = list(self._managers)
        for manager in managers:
            manager.start_cancel()


def _ask_the_thread() -> None:
    plain = cancellation.context
    if plain.__name__ != "of_this_thread":

        def of_this_thread() -> Any:
            return getattr(_here, "manager", None) or plain()

        cancellation.context = of_this_thread
