"""`tf.train.MonitoredTrainingSession` without the session: checkpoints, summaries, hooks, and when to stop."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

from tf2towers.runtime.workers import loops
from tf2towers.runtime.workers.hooks import CheckpointSaverHook, Hook, StepCounterHook, SummarySaverHook
from tf2towers.runtime.workers.restoring import restore_or_wait, step_of
from tf2towers.runtime.saver import Saver
from tf2towers.runtime.variable_store import VariableStore

_DEFAULT = object()


class Scaffold:
    """`tf.train.Scaffold`: which saver to use.

    Args:
        saver: None for all variables.
    """

    def __init__(self, saver: Saver | None = None) -> None:
        self.saver = saver


class MonitoredTraining:
    """The services around a worker's loop, as `tf.train.MonitoredTrainingSession` had them.

    Args:
        variables: the store.
        is_chief: whether this worker restores, saves and writes; the others wait for it to restore.
        checkpoint_dir: restored from at the start, saved to; None for no checkpoints and summaries.
        scaffold: gives the saver.
        hooks: of `runtime.cluster.hooks`, for this worker.
        chief_only_hooks: for the chief.
        save_checkpoint_secs: seconds between checkpoints, 600 by default; None for none.
        save_summaries_steps: steps between summaries, 100 by default; None for none.
        save_summaries_secs: seconds between summaries.
        log_step_count_steps: steps between two log lines of the speed.
        save_checkpoint_steps: steps between checkpoints.
        summary_dir: for the summaries; `checkpoint_dir` by default.

    Source: MonitoredTrainingSession in tensorflow/python/training/monitored_session.py.
    """

    def __init__(
        self,
        variables: VariableStore,
        is_chief: bool = True,
        checkpoint_dir: str | None = None,
        scaffold: Scaffold | None = None,
        hooks: Sequence[Hook] | None = None,
        chief_only_hooks: Sequence[Hook] | None = None,
        save_checkpoint_secs: Any = _DEFAULT,
        save_summaries_steps: Any = _DEFAULT,
        save_summaries_secs: Any = _DEFAULT,
        log_step_count_steps: int | None = 100,
        save_checkpoint_steps: Any = _DEFAULT,
        summary_dir: str | None = None,
    ) -> None:
        self.variables = variables
        self.saver = scaffold.saver if scaffold is not None else None
        self._stop = False
        self._closed = False
        self._hooks = list(hooks or [])
        if save_summaries_steps is _DEFAULT and save_summaries_secs is _DEFAULT:
            save_summaries_steps, save_summaries_secs = 100, None
        summary_every = _one_of(save_summaries_steps, save_summaries_secs)
        if save_checkpoint_secs is _DEFAULT and save_checkpoint_steps is _DEFAULT:
            save_checkpoint_secs = 600
        checkpoint_every = _one_of(save_checkpoint_steps, save_checkpoint_secs)
        if is_chief:
            self._hooks.extend(chief_only_hooks or [])
            folder = summary_dir or checkpoint_dir
            if folder:
                if log_step_count_steps:
                    self._hooks.append(StepCounterHook(log_step_count_steps, output_dir=folder))
                if summary_every:
                    self._hooks.append(SummarySaverHook(*summary_every, output_dir=folder))
            if checkpoint_dir and checkpoint_every:
                steps, secs = checkpoint_every
                self._hooks.append(CheckpointSaverHook(checkpoint_dir, secs, steps, self.saver))
        restore_or_wait(variables, self.saver or Saver(variables), checkpoint_dir, is_chief)
        self._step = step_of(variables)
        for hook in self._hooks:
            hook.begin(self, self._step)
        loops.set_current(self)

    def should_stop(self) -> bool:
        """Whether the loop should end."""
        return self._stop

    def request_stop(self) -> None:
        """Asks this worker's loop to end."""
        self._stop = True

    def summaries_due(self) -> bool:
        """Whether a hook wants the next step's summaries."""
        return any(hook.wants_summaries(self, self._step) for hook in self._hooks)

    def after_step(self, summaries: Any) -> None:
        """Runs the hooks."""
        self._step = step_of(self.variables)
        for hook in self._hooks:
            hook.after_step(self, self._step, summaries)

    def close(self) -> None:
        """Ends the hooks, once: the last checkpoint is saved."""
        if self._closed:
            return
        self._closed = True
        loops.set_current(None)
        step = step_of(self.variables)
        for hook in self._hooks:
            hook.end(self, step)

    def __enter__(self) -> MonitoredTraining:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None or issubclass(kind, SystemExit):
            self.close()
        else:
            loops.set_current(None)


def _one_of(steps: Any, secs: Any) -> tuple[int | None, float | None] | None:
    """(steps, None) or (None, secs); None where neither is given, or 0."""
    steps = None if steps is _DEFAULT else steps
    secs = None if secs is _DEFAULT else secs
    if steps:
        return steps, None
    return (None, secs) if secs else None
