"""Hooks of a MonitoredTraining that look at the step and at nothing in the graph (TF1: basic_session_run_hooks.py)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import tensorflow as tf

from tf2towers.runtime.saver import Saver
from tf2towers.runtime.summaries import FileWriter


class Timer:
    """Every so many steps or seconds, the first time at once (TF1: SecondOrStepTimer).

    Raises:
        ValueError: both or neither are given.
    """

    def __init__(self, every_steps: int | None = None, every_secs: float | None = None) -> None:
        if (every_steps is None) == (every_secs is None):
            raise ValueError("exactly one of every_steps and every_secs must be given")
        self._steps, self._secs = every_steps, every_secs
        self.last: tuple[int, float] | None = None

    def is_due(self, step: int) -> bool:
        """Whether it is time, at a step that was not taken yet."""
        if self.last is None:
            return True
        if step == self.last[0]:
            return False
        if self._steps is not None:
            return step >= self.last[0] + self._steps
        assert self._secs is not None
        return time.time() >= self.last[1] + self._secs

    def take(self, step: int) -> None:
        """Counts from here."""
        self.last = (step, time.time())


class Hook:
    """What happens around the steps of a MonitoredTraining. All arguments are the training and the global step."""

    def begin(self, training: Any, step: int) -> None:
        """Before the first step."""

    def wants_summaries(self, training: Any, step: int) -> bool:
        """Whether the next step should return its summaries."""
        return False

    def after_step(self, training: Any, step: int, summaries: Any) -> None:
        """After every step; `summaries` is a serialized proto or None."""

    def end(self, training: Any, step: int) -> None:
        """After the last step, where no error ended the loop."""


class StopAtStepHook(Hook):
    """Stops at a global step (`last_step`), or after so many more (`num_steps`).

    Raises:
        ValueError: both or neither are given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if (num_steps is None) == (last_step is None):
            raise ValueError("exactly one of num_steps and last_step must be given")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self, training: Any, step: int) -> None:
        """Fixes the last step."""
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = step + self._num_steps

    def after_step(self, training: Any, step: int, summaries: Any) -> None:
        """Asks the loop to stop."""
        assert self._last_step is not None
        if step >= self._last_step:
            training.request_stop()


class CheckpointSaverHook(Hook):
    """Saves at the first step, every so often, and at the end.

    Args:
        checkpoint_dir: the folder.
        save_secs, save_steps: how often; one of them.
        saver: by default, all variables of the store.
        checkpoint_basename: of the files.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Saver | None = None,
        checkpoint_basename: str = "model.ckpt",
    ) -> None:
        self._prefix = str(Path(checkpoint_dir, checkpoint_basename))
        self._timer = Timer(save_steps, save_secs)
        self._saver = saver

    def after_step(self, training: Any, step: int, summaries: Any) -> None:
        """Saves when it is time."""
        if self._timer.is_due(step):
            self._save(training, step)

    def end(self, training: Any, step: int) -> None:
        """Saves the last step, unless it was."""
        if self._timer.last is None or self._timer.last[0] != step:
            self._save(training, step)

    def _save(self, training: Any, step: int) -> None:
        self._saver = self._saver or training.saver or Saver(training.variables)
        self._saver.save(self._prefix, global_step=step)
        self._timer.take(step)


class SummarySaverHook(Hook):
    """Writes the step's summaries, merged, every so often.

    Args:
        save_steps, save_secs: how often; one of them.
        output_dir: the folder of the event file.
    """

    def __init__(
        self, save_steps: int | None = None, save_secs: float | None = None, output_dir: str | None = None
    ) -> None:
        self._timer = Timer(save_steps, save_secs)
        self._output_dir = output_dir
        self._writer: FileWriter | None = None

    def wants_summaries(self, training: Any, step: int) -> bool:
        """Whether it is time."""
        return self._timer.last is None or self._timer.is_due(step + 1)

    def after_step(self, training: Any, step: int, summaries: Any) -> None:
        """Writes what the step returned."""
        if summaries is None or not self._timer.is_due(step):
            return
        if self._writer is None:
            self._writer = FileWriter(self._output_dir or ".")
        self._writer.add_summary(summaries.numpy(), step)
        self._timer.take(step)

    def end(self, training: Any, step: int) -> None:
        """Writes what is in memory."""
        if self._writer is not None:
            self._writer.flush()


class StepCounterHook(Hook):
    """Logs and writes the steps per second.

    Args:
        every_n_steps, every_n_secs: how often; one of them.
        output_dir: the folder of the event file; none is written without.
    """

    def __init__(
        self, every_n_steps: int | None = 100, every_n_secs: float | None = None, output_dir: str | None = None
    ) -> None:
        self._timer = Timer(every_n_steps if every_n_secs is None else None, every_n_secs)
        self._output_dir = output_dir
        self._writer: FileWriter | None = None

    def after_step(self, training: Any, step: int, summaries: Any) -> None:
        """Logs 'global_step/sec', as TF1 did."""
        if not self._timer.is_due(step):
            return
        before = self._timer.last
        self._timer.take(step)
        if before is None or self._timer.last is None or self._timer.last[1] == before[1]:
            return
        rate = (step - before[0]) / (self._timer.last[1] - before[1])
        tf.compat.v1.logging.info("global_step/sec: %g", rate)
        if self._output_dir:
            if self._writer is None:
                self._writer = FileWriter(self._output_dir)
            value = tf.compat.v1.Summary.Value(tag="global_step/sec", simple_value=rate)
            self._writer.add_summary(tf.compat.v1.Summary(value=[value]), step)
