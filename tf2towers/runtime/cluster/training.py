"""What Supervisor and MonitoredTrainingSession have in common: variables made, restored, shared, counted and saved."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import tensorflow as tf

from tf2towers.runtime.cluster import extras
from tf2towers.runtime.cluster.sharing import share_checkpoint
from tf2towers.runtime.cluster.steps import build_steps
from tf2towers.runtime.cluster.threads import WorkerStopped, current_workers, worker_index
from tf2towers.runtime.saver import Saver
from tf2towers.runtime.summaries import FileWriter
from tf2towers.runtime.variable_store import VariableStore

_T = TypeVar("_T")
_RETRIES = 30  # seconds for a connection that is being renewed, after another worker's death
_ready: weakref.WeakKeyDictionary[VariableStore, Event] = weakref.WeakKeyDictionary()


def retried(read: Callable[[], _T]) -> _T:
    """`read()`; once more, for some seconds, while connections to the cluster are renewed.

    Raises:
        tf.errors.OpError: it still fails; that is, a parameter server has died.
    """
    deadline = time.monotonic() + _RETRIES
    while True:
        try:
            with tf.device("CPU:0"):
                return read()
        except (tf.errors.UnavailableError, tf.errors.AbortedError):
            if time.monotonic() > deadline:
                raise
        time.sleep(0.5)


class Training:
    """One worker's part in a training.

    Args:
        variables: what is trained.
        is_chief: whether this worker restores, saves and writes summaries; the others wait for it.
        folder: of checkpoints and summaries; None for neither.
        saver: None for no checkpoints; True for all variables, under TF1's names.
        global_step: the variable that counts the updates; by default the one called global_step.
    """

    def __init__(
        self,
        variables: VariableStore,
        is_chief: bool,
        folder: Any,
        saver: Any = True,
        global_step: Any = None,
    ) -> None:
        self.variables = variables
        self.is_chief = bool(is_chief)
        self.folder = str(folder) if folder else None
        self.saver: Saver | None = Saver(variables) if saver is True else saver
        self._global_step = global_step
        self._stop = False
        self._last_step: int | None = None
        self._writer: FileWriter | None = None
        self.complete = True  # whether every variable is there that a checkpoint should have

    # -- the start -----------------------------------------------------------------------------------------------

    def prepare(self, initialize: Callable[[], Any] | None = None) -> None:
        """`prepare_or_wait_for_session`: makes the variables; the chief restores the newest checkpoint.

        Args:
            initialize: the chief calls it where there is no checkpoint.
        """
        synchronous = self.variables.strategy.num_replicas_in_sync > 1
        ready = _ready.setdefault(self.variables, Event())
        if not synchronous and not self.is_chief and worker_index() is not None:
            self._wait(ready)
        self.complete = build_steps(self.variables, frozenset({extras.GLOBAL_STEP}))
        restored = None
        if self.is_chief:
            restored = self._restore(initialize)
            ready.set()
        if synchronous:
            self._share(restored)
        self._last_step = None

    def _wait(self, ready: Event) -> None:
        workers = current_workers()
        while not ready.wait(0.1):
            if workers is not None and workers.failed:
                raise WorkerStopped("the chief has failed")

    def _restore(self, initialize: Callable[[], Any] | None) -> str | None:
        newest = tf.train.latest_checkpoint(self.folder) if self.folder and self.saver else None
        if newest and self.saver is not None:
            saver = self.saver
            retried(lambda: saver.restore(newest))
            return newest
        if initialize is not None:
            initialize()
            return ""
        return None

    def _share(self, restored: str | None) -> None:
        """Every worker has a copy of the variables: the others take the chief's."""
        with share_checkpoint(self.variables, restored if self.is_chief else None, self.is_chief) as prefix:
            if prefix and not self.is_chief:
                Saver(self.variables).restore(prefix)

    # -- the global step -----------------------------------------------------------------------------------------

    @property
    def global_step(self) -> int:
        """The number of updates after this worker's newest step, or, before its first, now; 0 without a counter."""
        if self._last_step is None:
            self._last_step = self.read_global_step()
        return self._last_step

    def read_global_step(self) -> int:
        """The number of updates now."""
        counter = self._named_counter() if self._global_step is None else self._global_step
        if counter is None:
            return 0
        return int(retried(lambda: counter.read_value().numpy()))

    def note(self, found: dict[str, Any]) -> None:
        """Takes the global step from a step's extras."""
        self.complete = True
        own = self._global_step is None or self._global_step is self._named_counter()
        value = found.get(extras.GLOBAL_STEP) if own else None
        self._last_step = int(value.numpy()) if value is not None else self.read_global_step()

    def _named_counter(self) -> Any:
        name = extras.GLOBAL_STEP
        return self.variables[name] if name in self.variables else None  # noqa: SIM401 - a store has no get

    # -- the end -------------------------------------------------------------------------------------------------

    def should_stop(self) -> bool:
        """Whether this worker's loop is to end: it has been asked to, or another worker has failed."""
        workers = current_workers()
        return self._stop or (workers is not None and workers.failed)

    def request_stop(self, *_error: Any) -> None:
        """Asks this worker's loop to end."""
        self._stop = True

    # -- files ---------------------------------------------------------------------------------------------------

    def save(self, basename: str, step: int) -> str | None:
        """Saves to `folder`/`basename`-step; None where nothing is saved, or not every variable is there yet."""
        if self.saver is None or self.folder is None or not self.complete:
            return None
        saver, path = self.saver, str(Path(self.folder) / basename)
        return retried(lambda: saver.save(path, global_step=step))

    @property
    def summary_writer(self) -> FileWriter | None:
        """The chief's event file in `folder`."""
        if self._writer is None and self.is_chief and self.folder is not None:
            self._writer = FileWriter(self.folder)
        return self._writer

    def close_writer(self) -> None:
        """Ends the event file, if there is one."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
