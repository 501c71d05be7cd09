"""`tf.train.Supervisor` without the session: checkpoints, and when to stop."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tf2towers.runtime.workers import loops
from tf2towers.runtime.workers.restoring import restore_or_wait, step_of
from tf2towers.runtime.saver import Saver
from tf2towers.runtime.summaries import FileWriter
from tf2towers.runtime.variable_store import VariableStore

_ALL = object()


class SupervisedTraining:
    """The services around a worker's loop, as `tf.train.Supervisor` had them.

    Args:
        variables: the store.
        is_chief: whether this worker restores and saves; the others wait for it to restore.
        logdir: restored from at the start, saved to; None for no checkpoints.
        saver: all variables by default; None for no checkpoints.
        global_step: the variable that counts the steps; the store's 'global_step' by default.
        save_model_secs: seconds between checkpoints; 0 for none.
        checkpoint_basename: of the files.

    Source: Supervisor in tensorflow/python/training/supervisor.py. Its summary thread ran the summaries without a feed;
    nothing does here: `summary_computed` writes what a step has returned.
    """

    def __init__(
        self,
        variables: VariableStore,
        is_chief: bool = True,
        logdir: str | None = None,
        saver: Any = _ALL,
        global_step: Any = None,
        save_model_secs: float = 600,
        checkpoint_basename: str = "model.ckpt",
    ) -> None:
        self.variables = variables
        self.is_chief = is_chief
        self.saver: Saver | None = Saver(variables) if saver is _ALL else saver
        self._logdir = str(logdir) if logdir else None
        self._global_step = global_step
        self._every = save_model_secs
        self._basename = checkpoint_basename
        self._stop = False
        self._saved_at = (-1, time.time())
        self._writer: FileWriter | None = None

    def start(self) -> None:
        """The variables as the latest checkpoint has them: `prepare_or_wait_for_session`."""
        self._stop = False
        restore_or_wait(self.variables, self.saver, self._logdir, self.is_chief)
        self._saved_at = (-1, time.time())
        loops.set_current(self)

    @contextlib.contextmanager
    def managed(self) -> Iterator[None]:
        """`managed_session`: starts, and stops at the end of the block, an error or not."""
        self.start()
        try:
            yield
        finally:
            self.stop()

    def should_stop(self) -> bool:
        """Whether the loop should end."""
        return self._stop

    def request_stop(self, ex: BaseException | None = None) -> None:
        """Asks this worker's loop to end."""
        self._stop = True

    def stop(self, threads: Any = None, close_summary_writer: bool = True, **_options: Any) -> None:
        """Ends the services: the chief saves the last step."""
        self._stop = True
        loops.set_current(None)
        self._save()
        if self._writer is not None and close_summary_writer:
            self._writer.flush()

    def start_standard_services(self) -> None:
        """Checkpoints are saved from `start` on."""

    def summary_computed(self, summary: Any, global_step: Any = None) -> None:
        """Writes a serialized summary at the global step.

        Raises:
            RuntimeError: there is no logdir, or this is not the chief, as in TF1.
        """
        if self._logdir is None or not self.is_chief:
            raise RuntimeError("Writing a summary requires a summary writer: a logdir, and the chief.")
        if self._writer is None:
            self._writer = FileWriter(self._logdir)
        step = step_of(self.variables, self._global_step) if global_step is None else global_step
        self._writer.add_summary(summary, step)

    def summaries_due(self) -> bool:
        """No step returns summaries that the script did not ask for."""
        return False

    def after_step(self, summaries: Any) -> None:
        """Saves when it is time."""
        if self._every and time.time() >= self._saved_at[1] + self._every:
            self._save()

    def _save(self) -> None:
        if self._logdir is None or self.saver is None or not self.is_chief or not self._every:
            return
        step = step_of(self.variables, self._global_step)
        if step != self._saved_at[0]:
            self.saver.save(str(Path(self._logdir, self._basename)), global_step=step)
        self._saved_at = (step, time.time())
