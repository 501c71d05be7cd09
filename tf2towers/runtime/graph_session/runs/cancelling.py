"""Closing a session ends its runs that wait, for a queue, a token, a parameter server: with CancelledError, as in TF1.

And a run that takes longer than it may (`timeout_in_ms`) ends with DeadlineExceededError.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.private import cancellation_manager


class Runs:
    """The runs of a session that are under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: set[Any] = set()
        # what runs that ended well were under; a new one costs a call 0.015 ms
        self._at_rest: list[Any] = []
        self._over = False

    @contextlib.contextmanager
    def running(self, milliseconds: int = 0) -> Iterator[Any]:
        """A call in this block, under the manager that it gives, ends when `cancel` is called, or after its time.

        Args:
            milliseconds: that a call may take; 0: any.

        Raises:
            tf.errors.DeadlineExceededError: they have passed.
        """
        with self._lock:
            manager = self._at_rest.pop() if self._at_rest else cancellation_manager()
            self._under_way.add(manager)
            over = self._over
        timer = threading.Timer(milliseconds / 1000, manager.start_cancel) if milliseconds > 0 else None
        begin = time.monotonic()
        try:
            if over:
                manager.start_cancel()
            if timer is not None:
                timer.daemon = True
                timer.start()
            yield manager
        except tf.errors.OpError as error:
            if timer is not None and time.monotonic() - begin >= milliseconds / 1000 and not self._over:
                raise tf.errors.DeadlineExceededError(None, None, "Operation timed out.") from error
            raise
        else:
            if timer is None:  # its manager may be cancelled still
                self._at_rest.append(manager)
        finally:
            if timer is not None:
                timer.cancel()
            with self._lock:
                self._under_way.discard(manager)

    def cancel(self) -> None:
        """Ends those that are under way, and every other one at its beginning."""
        with self._lock:
            self._over = True
            managers = list(self._under_way)
        for manager in managers:
            manager.start_cancel()
