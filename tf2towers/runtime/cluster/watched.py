"""Tensors of a step that hooks ask for by name: `tf.train.LoggingTensorHook` and `tf.train.NanTensorHook`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf

from tf2towers.runtime.cluster.extras import add_extra
from tf2towers.runtime.cluster.hooks import Hook, Timer

if TYPE_CHECKING:
    from tf2towers.runtime.cluster.monitored import MonitoredTraining

WATCHED = "watched"
_KEY = "tf2towers_watched"
_v1 = tf.compat.v1


def watch(**tensors: Any) -> None:
    """Inside a step: hands these tensors to the hooks that ask for them by name.

    Args:
        tensors: tensors or variables of the step; a variable's value is the one at this place.
    """
    _v1.add_to_collection(_KEY, {name: tf.identity(tensor) for name, tensor in tensors.items()})


def _watched() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for tensors in _v1.get_collection(_KEY):
        found.update(tensors)
    return found


add_extra(WATCHED, _watched)


class LoggingTensorHook(Hook):
    """Logs tensors of the steps, the first time after the first step: TF1's `LoggingTensorHook`.

    Args:
        tensors: names given to `watch`; a mapping has the words to log them by.
        every_n_iter: steps of this worker between two log lines; or
        every_n_secs: seconds between them.
        at_end: log at the end of the training, too, what the last step had.
        formatter: makes the line of a dict of the values; by default 'loss = 1.5, step = 10 (2.001 sec)'.
    """

    def __init__(
        self,
        tensors: Mapping[str, str] | Sequence[str],
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        self._names = dict(tensors) if isinstance(tensors, Mapping) else {name: name for name in tensors}
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        self._timer = None if only_at_end else Timer(every_n_iter, every_n_secs)
        self._at_end, self._formatter = at_end, formatter
        self._count = 0
        self._last: dict[str, Any] | None = None

    def wants(self, training: MonitoredTraining, step: Any) -> frozenset[str]:
        """The tensors, if it is time, or the step may be the last."""
        due = self._at_end or (self._timer is not None and self._timer.due(self._count))
        return frozenset({WATCHED}) if step.update and due else frozenset()

    def after_step(self, training: MonitoredTraining, step: Any, results: Any, found: dict[str, Any]) -> None:
        """Logs, if it is time."""
        if not step.update:
            return
        if found.get(WATCHED):
            self._last = {tag: found[WATCHED][name].numpy() for tag, name in self._names.items()}
            if self._timer is not None and self._timer.due(self._count):
                self._log()
        self._count += 1

    def end(self, training: MonitoredTraining) -> None:
        """Logs what the last step had, where that is wanted."""
        if self._at_end and self._last is not None:
            self._log()

    def _log(self) -> None:
        from absl import logging

        assert self._last is not None
        before = np.get_printoptions()
        np.set_printoptions(suppress=True)
        try:
            first = self._timer is None or self._timer.last_step is None
            seconds = self._timer.triggered(self._count)[1] if self._timer is not None else 0.0
            if self._formatter is not None:
                logging.info(self._formatter(self._last))
                return
            line = ", ".join(f"{tag} = {value}" for tag, value in self._last.items())
            logging.info(line if first else f"{line} ({seconds:.3f} sec)")
        finally:
            np.set_printoptions(**before)


class NanTensorHook(Hook):
    """Ends the training when a tensor of a step is NaN: TF1's `NanTensorHook`.

    Args:
        loss_tensor: a name given to `watch`.
        fail_on_nan_loss: raise; otherwise stop with a warning.

    Raises:
        tf.compat.v1.train.NanLossDuringTrainingError: by the step's call.
    """

    def __init__(self, loss_tensor: str, fail_on_nan_loss: bool = True) -> None:
        self._name, self._fail = loss_tensor, fail_on_nan_loss

    def wants(self, training: MonitoredTraining, step: Any) -> frozenset[str]:
        """The tensor, in every training step."""
        return frozenset({WATCHED}) if step.update else frozenset()

    def after_step(self, training: MonitoredTraining, step: Any, results: Any, found: dict[str, Any]) -> None:
        """Looks at it."""
        from absl import logging

        if not found.get(WATCHED) or not np.isnan(found[WATCHED][self._name].numpy()).any():
            return
        message = "Model diverged with loss = NaN."
        if self._fail:
            logging.error(message)
            raise _v1.train.NanLossDuringTrainingError
        logging.warning(message)
        training.request_stop()
