"""Batches out of TF1's queues: the graph that fills them runs beside the training."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import tensorflow as tf

_v1 = tf.compat.v1


class QueuedBatches:
    """What a function of TF1's queue runners gives, batch after batch, in the order of its queues.

    Args:
        build: makes the queues and returns the batch, a nest of tensors (what is none stays as it is). It is called
            at once, in a graph of its own: `tf.compat.v1.train.shuffle_batch` draws in an order that nothing else has.
        towers: how many towers have queues of their own: `build` is called for each.

    The queues are filled from `start` on, by the threads of `tf.compat.v1.train.start_queue_runners`.
    """

    def __init__(self, build: Callable[[], Any], towers: int = 1) -> None:
        graph = tf.Graph()
        with graph.as_default(), tf.device("/cpu:0"):
            self._batches = [build() for _ in range(towers)]
            initial = _v1.group(_v1.global_variables_initializer(), _v1.local_variables_initializer())
        self._session = _v1.Session(graph=graph)
        self._session.run(initial)

    def start(self, coord: Any = None) -> list[threading.Thread]:
        """Starts the threads that fill the queues, until the coordinator stops; returns them."""
        with self._session.graph.as_default():
            threads: list[threading.Thread] = _v1.train.start_queue_runners(self._session, coord)
        return threads

    def get_next(self) -> Any:
        """The next batch, as `sess.run` took one: what `build` returned, with values for the tensors.

        Raises:
            tf.errors.OutOfRangeError: the queues are empty, and nothing fills them any more.
        """
        return self._next(self._batches[0])

    def of_each_tower(self, strategy: tf.distribute.Strategy) -> Any:
        """The next batch of every tower, out of its own queues: per-replica values, for `strategy.run`.

        Raises:
            tf.errors.OutOfRangeError: as `get_next`.
        """
        return strategy.experimental_distribute_values_from_function(
            lambda context: self._next(self._batches[context.replica_id_in_sync_group])
        )

    def _next(self, batch: Any) -> Any:
        parts = tf.nest.flatten(batch)
        values = iter(self._session.run([part for part in parts if tf.is_tensor(part)]))
        now = [_tensor(next(values)) if tf.is_tensor(part) else part for part in parts]
        return tf.nest.pack_sequence_as(batch, now)


def _tensor(value: Any) -> Any:
    if isinstance(value, _v1.SparseTensorValue):
        return tf.SparseTensor.from_value(value)
    return tf.convert_to_tensor(value)
