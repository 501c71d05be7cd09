"""The workers' loops, one thread a worker: what the worker processes of TF1 did, each with its own `sess.run`."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

SERIAL = "TF2TOWERS_SERIAL_SCHEDULE"
_of_thread = threading.local()
_LEAVING = 10.0  # seconds for the other workers to notice that one has failed


class WorkerStopped(RuntimeError):
    """Another worker has failed, and this one's loop is left."""


class Workers:
    """The workers whose loops run in this process.

    Args:
        count: how many.
        serial: one step at a time, in the order 0, 1, .., count - 1, 0, ..; who has ended is left out.
    """

    def __init__(self, count: int, serial: bool | None = None) -> None:
        self.count = count
        self.serial = os.environ.get(SERIAL) == "1" if serial is None else serial
        self._state = threading.Condition()
        self._running: list[int] = []
        self._turn = 0
        self._errors: list[tuple[int, BaseException]] = []

    @property
    def failed(self) -> bool:
        """Whether a worker has raised."""
        return bool(self._errors)

    def check(self) -> None:
        """Raises WorkerStopped in the thread of a worker when another one has failed."""
        if self._errors and worker_index() is not None:
            raise WorkerStopped("another worker has failed")

    def run(self, function: Callable[[int], Any]) -> None:
        """Runs `function(index)` for the index of every worker, and returns when all have.

        Raises:
            BaseException: what the first worker to fail raised; what others raised is printed.
        """
        self._running = list(range(self.count))
        self._turn = 0
        self._errors = []
        threads = [
            threading.Thread(target=self._work, args=(function, index), name=f"worker-{index}", daemon=True)
            for index in range(self.count)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive() and not self._errors:
                thread.join(0.2)
        if self._errors:
            deadline = time.monotonic() + _LEAVING
            for thread in threads:
                thread.join(max(0.0, deadline - time.monotonic()))
            self._raise_first()

    def _raise_first(self) -> None:
        """A step that is cancelled is cancelled because of another one's error."""
        own = [
            worker_error
            for worker_error in self._errors
            if not isinstance(worker_error[1], tf.errors.CancelledError)
        ]
        first = (own or self._errors)[0]
        for worker, error in self._errors:
            if error is not first[1] and error in [own_error for _, own_error in own]:
                print(f"worker {worker} has failed, too:", flush=True)
                traceback.print_exception(error)
        raise first[1]

    def _work(self, function: Callable[[int], Any], worker: int) -> None:
        _of_thread.worker, _of_thread.workers = worker, self
        try:
            function(worker)
        except WorkerStopped:
            pass
        except SystemExit as error:  # the end of this worker's process, in TF1
            if error.code not in (None, 0):
                self._errors.append((worker, error))
        except BaseException as error:
            self._errors.append((worker, error))
        finally:
            with self._state:
                if self.serial and self._turn_of() == worker:
                    self._running.remove(worker)
                    self._turn = self._next_place(worker)
                else:
                    current = self._turn_of()
                    self._running.remove(worker)
                    self._turn = self._running.index(current) if current in self._running else 0
                self._state.notify_all()

    def _turn_of(self) -> int | None:
        return self._running[self._turn % len(self._running)] if self._running else None

    def _next_place(self, worker: int) -> int:
        """Where the next one after `worker` stands in the list."""
        later = [place for place, running in enumerate(self._running) if running > worker]
        return later[0] if later else 0

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """One training step of this thread's worker: with `serial`, when it is its turn."""
        worker = worker_index()
        if not self.serial or worker is None:
            yield
            return
        with self._state:
            while self._turn_of() != worker:
                self.check()
                self._state.wait(0.2)
        try:
            yield
        finally:
            with self._state:
                self._turn = (self._turn + 1) % len(self._running)
                self._state.notify_all()


def worker_index() -> int | None:
    """The worker whose loop this thread runs; None in any other thread."""
    return getattr(_of_thread, "worker", None)


def current_workers() -> Workers | None:
    """The workers among which this thread's is, or None."""
    return getattr(_of_thread, "workers", None)
