"""`tf.train.Supervisor` for a migrated worker: restore or wait, save now and then, stop."""

from __future__ import annotations

import contextlib
import inspect
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tf2towers.runtime.cluster import extras
from tf2towers.runtime.cluster.training import Training
from tf2towers.runtime.variable_store import VariableStore

_DEFAULT: Any = object()


class SupervisedTraining(Training):
    """One worker's training under supervision.

    Args:
        variables: the store.
        is_chief: whether this worker restores, saves and writes; the others wait for it in `start`.
        logdir: of checkpoints and summaries; None for neither.
        global_step: the variable that numbers the checkpoints; by default the one called global_step.
        saver: a `Saver`; None for no checkpoints.
        save_model_secs: seconds between checkpoints; 0 for none but the last.
        save_summaries_secs: seconds between the summaries of all that the step summarises; 0 for none.
        checkpoint_basename: of the files in `logdir`.
        init_fn: called by the chief, where there is no checkpoint, with this object if it takes an argument.
        summary_op: None: no summaries but those of `summary_computed`.
        options: `init_op`, `ready_op`, `local_init_op`, `recovery_wait_secs`, `summary_writer` and others of
            `tf.train.Supervisor` that have no part here.
    """

    def __init__(
        self,
        variables: VariableStore,
        is_chief: bool = True,
        logdir: Any = None,
        global_step: Any = None,
        saver: Any = _DEFAULT,
        save_model_secs: float = 600,
        save_summaries_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        init_fn: Callable[..., Any] | None = None,
        summary_op: Any = _DEFAULT,
        **_options: Any,
    ) -> None:
        super().__init__(variables, is_chief, logdir, True if saver is _DEFAULT else saver, global_step)
        self._save_every = save_model_secs
        self._summarise_every = 0 if summary_op is None else save_summaries_secs
        self._basename = checkpoint_basename
        self._init_fn = init_fn
        self._next_save = self._next_summary = 0.0
        self._saved: int | None = None
        self._threads: list[threading.Thread] = []

    @property
    def save_path(self) -> str | None:
        """The prefix of the checkpoints; None without a logdir, or where this is not the chief, as in TF1."""
        return str(Path(self.folder, self._basename)) if self.folder and self.is_chief else None

    def start(self) -> SupervisedTraining:
        """`prepare_or_wait_for_session`: returns when the variables have their values."""
        self.prepare(self._initialize if self._init_fn is not None else None)
        extras.start(self)
        self._next_save = self._next_summary = time.monotonic()
        self._save_when_due()
        return self

    def _initialize(self) -> None:
        assert self._init_fn is not None
        self._init_fn(*([self] if inspect.signature(self._init_fn).parameters else []))

    @contextlib.contextmanager
    def managed(self, *_arguments: Any, **_options: Any) -> Iterator[SupervisedTraining]:
        """`managed_session`: `start` and `stop`.

        An error goes on to the caller; TF1, too, ended the session and then raised it.
        """
        try:
            yield self.start()
        except BaseException:
            self._leave()
            raise
        self.stop()

    def stop(self, *_threads: Any, **_options: Any) -> None:
        """Ends this worker's training; the chief saves (TF1 did not, and lost what the last 10 minutes had brought)."""
        self.request_stop()
        try:
            if self.is_chief:
                self._save(self.read_global_step())
        finally:
            self._leave()

    def _leave(self) -> None:
        self.request_stop()
        extras.stop(self)
        for thread in self._threads:
            thread.join(120)
        self.close_writer()

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Any = (),
        kwargs: Any = None,
    ) -> threading.Thread:
        """Calls `target` every so many seconds in a thread, until `stop`; None: again and again."""

        def run() -> None:
            due = time.monotonic()
            while not self.should_stop():
                if time.monotonic() < due:
                    time.sleep(0.1)
                    continue
                target(*(args or ()), **(kwargs or {}))
                due += timer_interval_secs or 0.0

        thread = threading.Thread(target=run, daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def summary_computed(self, summary: Any, global_step: int | None = None) -> None:
        """Writes a serialized summary, or a proto, at `global_step` (by default the newest).

        Raises:
            RuntimeError: this worker writes none: it is not the chief, or there is no logdir.
        """
        if self.summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        summary = summary.numpy() if hasattr(summary, "numpy") else summary
        self.summary_writer.add_summary(
            summary, self.global_step if global_step is None else int(global_step)
        )

    def wants(self, step: Any) -> frozenset[str]:
        """The global step, and the summaries when it is time for them."""
        writes = self.is_chief and self.folder is not None and self._summarise_every and step.update
        due = writes and time.monotonic() >= self._next_summary
        return frozenset({extras.GLOBAL_STEP} | ({extras.SUMMARIES} if due else set()))

    def heard(self, step: Any, _results: Any, found: dict[str, Any]) -> None:
        """After every step of this worker: summaries and checkpoints that are due."""
        self.note(found)
        if extras.SUMMARIES in found:
            self._next_summary = time.monotonic() + self._summarise_every
            if found[extras.SUMMARIES] is not None:
                self.summary_computed(found[extras.SUMMARIES])
        if step.update:
            self._save_when_due()

    def _save_when_due(self) -> None:
        if self.is_chief and self._save_every and time.monotonic() >= self._next_save and self.complete:
            self._save(self.read_global_step())
            self._next_save = time.monotonic() + self._save_every

    def _save(self, step: int) -> None:
        if step != self._saved and self.save(self._basename, step):
            self._saved = step
