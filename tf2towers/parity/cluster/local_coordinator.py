"""Steps that a program schedules with a `ClusterCoordinator`, made in the coordinator's own process, one at a time.

TensorFlow allows that ("possibly executed on the coordinator, which can be slow", `ParameterServerStrategyV2Extended`):
the variables are on the parameter servers as before. A Python function cannot run in the process of a worker, so only
here can a step be given the original's batch, and tell what it computes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.python.distribute.coordinator.cluster_coordinator import ClusterCoordinator


class Made:
    """A `RemoteValue` that is here already."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def get(self) -> Any:
        """The tensors."""
        return self._value

    def fetch(self) -> Any:
        """The tensors' values."""
        return tf.nest.map_structure(
            lambda tensor: tensor.numpy() if hasattr(tensor, "numpy") else tensor, self._value
        )


def schedule_here(before_step: Callable[[], object]) -> None:
    """Lets every coordinator of the process, from now on, make each step when it is scheduled."""

    def schedule(self: Any, fn: Any, args: Sequence[Any] | None = None, kwargs: Any = None) -> Made:
        before_step()
        with self.strategy.scope():
            self.strategy.extended._being_scheduled = True
            try:
                return Made(fn(*(args or ()), **(kwargs or {})))
            finally:
                self.strategy.extended._being_scheduled = False

    def create_per_worker_dataset(self: Any, dataset_fn: Any) -> Any:
        return dataset_fn() if callable(dataset_fn) else dataset_fn

    def create_per_worker(self: Any, fn: Any, args: Sequence[Any] | None = None, kwargs: Any = None) -> Any:
        return fn(*(args or ()), **(kwargs or {}))

    def fetch(self: Any, val: Any) -> Any:
        return tf.nest.map_structure(lambda part: part.fetch() if isinstance(part, Made) else part, val)

    replaced: dict[str, Callable[..., Any]] = {
        "schedule": schedule,
        "create_per_worker_dataset": create_per_worker_dataset,
        "_create_per_worker_resources": create_per_worker,
        "_create_per_worker_variables": create_per_worker,
        "join": lambda self: None,
        "done": lambda self: True,
        "fetch": fetch,
    }
    for name, function in replaced.items():
        setattr(ClusterCoordinator, name, function)
