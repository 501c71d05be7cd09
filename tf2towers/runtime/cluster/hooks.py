"""Hooks of a monitored training, with the rules of TF1's `basic_session_run_hooks`."""

from __future__ import annotations

import time
from typing import Any, Protocol

from tf2towers.runtime.cluster import extras
from tf2towers.runtime.saver import Saver
from tf2towers.runtime.summaries import FileWriter


class Monitored(Protocol):
    """What a hook asks of the training it belongs to."""

    @property
    def global_step(self) -> int:
        """The step of this worker's last update."""

    def read_global_step(self) -> int:
        """The step that all workers have come to."""

    def request_stop(self) -> None:
        """Ends the training after this step."""

    def save(self, basename: str, step: int, folder: str | None, saver: Saver | None) -> Any:
        """Writes a checkpoint."""


class Hook:
    """What happens around the steps of one worker; every method may be left out."""

    def begin(self, training: Monitored) -> None:
        """Once, when the variables have their values."""

    def wants(self, training: Monitored, step: Any) -> frozenset[str]:
        """The extras to compute in the next step."""
        return frozenset()

    def after_step(self, training: Monitored, step: Any, results: Any, found: dict[str, Any]) -> None:
        """After every step; `training.global_step` is the step's."""

    def end(self, training: Monitored) -> None:
        """Once, where no error has ended the training."""


class Timer:
    """Every so many steps or seconds, the first time at once: `SecondOrStepTimer`.

    Raises:
        ValueError: none or both are given.
    """

    def __init__(self, every_steps: int | None, every_secs: float | None) -> None:
        if (every_steps is None) == (every_secs is None):
            raise ValueError("exactly one of steps and secs should be provided")
        self._steps, self._secs = every_steps, every_secs
        self.last_step: int | None = None
        self.last_time = 0.0

    def due(self, step: int) -> bool:
        """Whether it is time at `step`."""
        if self.last_step is None:
            return True
        if step == self.last_step:
            return False
        if self._secs is not None:
            return time.time() >= self.last_time + self._secs
        return step >= self.last_step + (self._steps or 0)

    def triggered(self, step: int) -> tuple[int, float]:
        """Notes that it was done at `step`; the steps and seconds since the last time."""
        now = time.time()
        since = (0, 0.0) if self.last_step is None else (step - self.last_step, now - self.last_time)
        self.last_step, self.last_time = step, now
        return since


class StopAtStepHook(Hook):
    """Stops the worker's loop after a step at which the global step has reached the last.

    Args:
        num_steps: that many after the global step at the start.
        last_step: that global step.

    Raises:
        ValueError: none or both are given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if (num_steps is None) == (last_step is None):
            raise ValueError("exactly one of num_steps and last_step must be specified")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self, training: Monitored) -> None:
        """Where `num_steps` is given, the last step is that many from here."""
        if self._last_step is None:
            self._last_step = training.global_step + (self._num_steps or 0)

    def after_step(self, training: Monitored, step: Any, results: Any, found: dict[str, Any]) -> None:
        """Stops, if it is time."""
        if training.global_step >= (self._last_step or 0):
            training.request_stop()


class CheckpointSaverHook(Hook):
    """Saves at the start, every so often, and at the end.

    Args:
        checkpoint_dir: the folder.
        save_secs: seconds between checkpoints; or
        save_steps: global steps between them.
        saver: by default that of the training.
        checkpoint_basename: of the files.
        options: `scaffold`, `listeners`; without effect.
    """

    def __init__(
        self,
        checkpoint_dir: Any,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Saver | None = None,
        checkpoint_basename: str = "model.ckpt",
        **_options: Any,
    ) -> None:
        self._folder, self._saver, self._basename = str(checkpoint_dir), saver, checkpoint_basename
        self._timer = Timer(save_steps, save_secs)

    def begin(self, training: Monitored) -> None:
        """Saves what training starts with."""
        self._save(training, training.global_step)

    def after_step(self, training: Monitored, step: Any, results: Any, found: dict[str, Any]) -> None:
        """Saves, if it is time."""
        if self._timer.due(training.global_step):
            now = training.read_global_step()
            if self._timer.due(now):
                self._save(training, now)

    def end(self, training: Monitored) -> None:
        """Saves, unless the newest step is saved already."""
        last = training.read_global_step()
        if last != self._timer.last_step:
            self._save(training, last)

    def _save(self, training: Monitored, step: int) -> None:
        if training.save(self._basename, step, self._folder, self._saver):
            self._timer.triggered(step)


class SummarySaverHook(Hook):
    """Writes what the step summarises, the first time after the first step.

    Args:
        save_steps: global steps between summaries; or
        save_secs: seconds between them.
        output_dir: of the event file; or
        summary_writer: a `FileWriter`.
        options: `summary_op`, `scaffold`; it is always all summaries of the step.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: FileWriter | None = None,
        **_options: Any,
    ) -> None:
        self._timer = Timer(save_steps, save_secs)
        self._folder, self._writer = output_dir, summary_writer
        self._next: int | None = None

    def wants(self, training: Monitored, step: Any) -> frozenset[str]:
        """The summaries, if it is time."""
        due = step.update and (self._next is None or self._timer.due(self._next))
        return frozenset({extras.SUMMARIES}) if due else frozenset()

    def after_step(self, training: Monitored, step: Any, results: Any, found: dict[str, Any]) -> None:
        """Writes the summaries that were asked for."""
        if not step.update:
            return
        if extras.SUMMARIES in found:
            self._timer.triggered(training.global_step)
            if found[extras.SUMMARIES] is not None:
                self._open().add_summary(found[extras.SUMMARIES].numpy(), training.global_step)
        self._next = training.global_step + 1

    def _open(self) -> FileWriter:
        if self._writer is None:
            self._writer = FileWriter(str(self._folder))
        return self._writer

    def end(self, training: Monitored) -> None:
        """Everything written is on disk."""
        if self._writer is not None:
            self._writer.flush()


class StepCounterHook(Hook):
    """Logs global steps a second.

    Args:
        every_n_steps: global steps between two log lines; or
        every_n_secs: seconds between them.
        options: `output_dir`, `summary_writer`; the rate is logged only.
    """

    def __init__(
        self, every_n_steps: int | None = 100, every_n_secs: float | None = None, **_options: Any
    ) -> None:
        self._timer = Timer(None if every_n_secs is not None else every_n_steps, every_n_secs)

    def after_step(self, training: Monitored, step: Any, results: Any, found: dict[str, Any]) -> None:
        """Logs, if it is time."""
        if not self._timer.due(training.global_step):
            return
        steps, seconds = self._timer.triggered(training.global_step)
        if seconds > 0:
            from absl import logging

            logging.info("global_step/sec: %g", steps / seconds)
