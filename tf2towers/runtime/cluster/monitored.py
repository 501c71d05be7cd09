"""`tf.train.MonitoredTrainingSession` for a migrated worker."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import tensorflow as tf

from tf2towers.runtime.cluster import extras
from tf2towers.runtime.cluster.hooks import CheckpointSaverHook, Hook, StepCounterHook, SummarySaverHook
from tf2towers.runtime.cluster.training import Training, retried
from tf2towers.runtime.saver import Saver
from tf2towers.runtime.variable_store import VariableStore

_DEFAULT: Any = object()


class MonitoredTraining(Training):
    """One worker's training with hooks; made ready at once, in the thread of the worker's loop.

    Args:
        variables: the store.
        is_chief: whether this worker restores, saves and writes summaries; the others wait for it.
        checkpoint_dir: of checkpoints and summaries; None for neither.
        hooks: `Hook`s of every worker; None among them is left out.
        chief_only_hooks: those of the chief only.
        scaffold: only its `saver` counts.
        save_checkpoint_secs: seconds between checkpoints (600); None or 0 for none.
        save_checkpoint_steps: global steps between them, in place of seconds.
        save_summaries_steps: global steps between summaries (100); None or 0 for none.
        save_summaries_secs: seconds between them, in place of steps.
        log_step_count_steps: global steps between two lines with the speed; None or 0 for none.
        summary_dir: of summaries, in place of `checkpoint_dir`.
        options: `master`, `config`, `stop_grace_period_secs`, `max_wait_secs`: without effect.
    """

    def __init__(
        self,
        variables: VariableStore,
        is_chief: bool = True,
        checkpoint_dir: Any = None,
        hooks: Sequence[Any] | None = None,
        chief_only_hooks: Sequence[Any] | None = None,
        scaffold: Any = None,
        save_checkpoint_secs: Any = _DEFAULT,
        save_summaries_steps: Any = _DEFAULT,
        save_summaries_secs: Any = _DEFAULT,
        save_checkpoint_steps: Any = _DEFAULT,
        log_step_count_steps: int | None = 100,
        summary_dir: Any = None,
        **_options: Any,
    ) -> None:
        super().__init__(variables, is_chief, checkpoint_dir, getattr(scaffold, "saver", None) or True)
        own: list[Any] = list(chief_only_hooks or []) if is_chief else []
        summaries = summary_dir or checkpoint_dir
        if is_chief and checkpoint_dir and log_step_count_steps:
            own.append(StepCounterHook(log_step_count_steps))
        steps, secs = _steps_or_seconds(save_summaries_steps, save_summaries_secs, default_steps=100)
        if is_chief and summaries and (steps or secs):
            own.append(SummarySaverHook(steps, secs, output_dir=summaries))
        steps, secs = _steps_or_seconds(save_checkpoint_steps, save_checkpoint_secs, default_secs=600)
        if is_chief and checkpoint_dir and (steps or secs):
            own.append(CheckpointSaverHook(checkpoint_dir, save_secs=secs, save_steps=steps))
        self._hooks: list[Hook] = [hook for hook in [*own, *(hooks or [])] if hook is not None]
        self._open = True
        self.prepare()
        for hook in self._hooks:
            hook.begin(self)
        extras.start(self)

    def save(
        self, basename: str, step: int, folder: str | None = None, saver: Saver | None = None
    ) -> str | None:
        """Saves to `folder`/`basename`-step; see `Training.save`."""
        chosen = saver or self.saver
        if chosen is None or not self.complete:
            return None
        path = str(Path(folder or self.folder or ".") / basename)
        return retried(lambda: chosen.save(path, global_step=step))

    def wants(self, step: Any) -> frozenset[str]:
        """The global step, and what the hooks want.

        Raises:
            RuntimeError: a hook has asked this worker to stop, as TF1's session said it.
        """
        if self._stop:
            raise RuntimeError("Run called even after should_stop requested.")
        return frozenset({extras.GLOBAL_STEP}).union(*(hook.wants(self, step) for hook in self._hooks))

    def heard(self, step: Any, results: Any, found: dict[str, Any]) -> None:
        """Called after every step of this worker; calls the hooks."""
        self.note(found)
        for hook in self._hooks:
            hook.after_step(self, step, results, found)

    def should_stop(self) -> bool:
        """Whether this worker's loop is to end."""
        return not self._open or super().should_stop()

    def close(self) -> None:
        """Ends the training: the hooks do what they do at the end."""
        self._close(ended_well=True)

    def _close(self, ended_well: bool) -> None:
        if not self._open:
            return
        self._open = False
        try:
            if ended_well:
                for hook in self._hooks:
                    hook.end(self)
        finally:
            extras.stop(self)
            self.close_writer()

    def __enter__(self) -> MonitoredTraining:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        """As in TF1, the end of the input is a good end."""
        ended = kind is not None and issubclass(kind, tf.errors.OutOfRangeError | StopIteration)
        self._close(ended_well=kind is None or ended)
        return ended


def _steps_or_seconds(
    steps: Any, secs: Any, default_steps: int | None = None, default_secs: float | None = None
) -> tuple[int | None, float | None]:
    """(steps, None), (None, secs), or (None, None), as TF1 chose: steps first, the defaults where neither is given."""
    if steps is _DEFAULT and secs is _DEFAULT:
        return default_steps, default_secs
    steps = None if steps is _DEFAULT or not steps or steps <= 0 else int(steps)
    secs = None if secs is _DEFAULT or not secs or secs <= 0 else float(secs)
    return (steps, None) if steps else (None, secs)
