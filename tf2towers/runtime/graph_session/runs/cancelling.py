"""Cancels the waiting runs of a closed session, with a CancelledError as in TF1.

A run that exceeds its time limit (`timeout_in_ms`) ends with DeadlineExceededError.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from tf2towers.runtime.patches.functions import cancellation_manager


class Runs:
    """The runs of a session that are under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[Any, int] = {}  # the manager of a run -> its thread
        # unused managers, from runs that ended well; a new one adds 0.015 ms to a call
        self._at_rest: list[Any] = []
        self._over = False

    @contextlib.contextmanager
    def running(self, milliseconds: int = 0) -> Iterator[Any]:
        """Yields a cancellation manager for a call, which `cancel` or the time limit ends.

        Args:
            milliseconds: the time limit; 0 means no limit.

        Raises:
            tf.errors.DeadlineExceededError: the time limit has passed.
        """
        with self._lock:
            manager = self._at_rest.pop() if self._at_rest else cancellation_manager()
            self._under_way[manager] = threading.get_ident()
            over = self._over
        timer = threading.Timer(milliseconds / 1000, manager.start_cancel) if milliseconds > 0 else None
        begin = time.monotonic()
        reusable = False
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
            reusable = timer is None  # a timer could still cancel its manager
        finally:
            if timer is not None:
                timer.cancel()
            with self._lock:
                if self._under_way.pop(manager, None) is not None and reusable:
                    self._at_rest.append(manager)

    def cancel(self) -> None:
        """Ends the runs that are under way, and all later runs as soon as they start."""
        with self._lock:
            self._over = True
            managers = list(self._under_way)
        for manager in managers:
            manager.start_cancel()

    def cancel_in(self, thread: int) -> None:
        """Ends the run that is under way in the thread with this identifier, if there is one."""
        with self._lock:
            managers = [manager for manager, own in self._under_way.items() if own == thread]
            for manager in managers:
                del self._under_way[manager]
        for manager in managers:
            manager.start_cancel()
