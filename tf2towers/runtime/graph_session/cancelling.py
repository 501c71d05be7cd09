"""Closing a session ends its runs that wait, for a queue, a token, a parameter server: with CancelledError, as in TF1.

And a run that takes longer than it may (`timeout_in_ms`) ends with DeadlineExceededError.

What a function's call would be cancelled by is one global of TensorFlow's, whichever thread calls. Sessions run in many
threads: each has its own here.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.private import cancellation_manager, cancelled_by

_of_thread = threading.local()


class Runs:
    """The runs of a session that are under way."""

    def __init__(self) -> None:
        cancelled_by(lambda: getattr(_of_thread, "manager", None))
        self._lock = threading.Lock()
        self._managers: set[Any] = set()
        self._over = False

    @contextlib.contextmanager
    def running(self, milliseconds: int = 0) -> Iterator[None]:
        """A call in this block, in this thread, ends when `cancel` is called, or after so many milliseconds, if any.

        Raises:
            tf.errors.DeadlineExceededError: they have passed.
        """
        # one for each call: a call that fails cancels by it what else is under way
        manager = cancellation_manager()
        outer_manager = getattr(_of_thread, "manager", None)
        with self._lock:
            self._managers.add(manager)
            over = self._over
        _of_thread.manager = manager
        timer = threading.Timer(milliseconds / 1000, manager.start_cancel) if milliseconds > 0 else None
        begin = time.monotonic()
        try:
            if over:
                manager.start_cancel()
            if timer is not None:
                timer.daemon = True
                timer.start()
            yield
        except tf.errors.OpError as error:
            if timer is not None and time.monotonic() - begin >= milliseconds / 1000 and not self._over:
                raise tf.errors.DeadlineExceededError(None, None, "Operation timed out.") from error
            raise
        finally:
            if timer is not None:
                timer.cancel()
            _of_thread.manager = outer_manager
            with self._lock:
                self._managers.discard(manager)

    def cancel(self) -> None:
        """Ends those that are under way, and every other one at its beginning."""
        with self._lock:
            self._over = True
            managers = list(self._managers)
        for manager in managers:
            manager.start_cancel()
