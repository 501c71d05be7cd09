"""A TF1 input pipeline (queues, readers, a get_next inside a function) run as it is, one batch at a time.

TF2 has no queue runners. Rather than guess a `tf.data` pipeline that shuffles alike, the pipeline's own code is built
in a TF1 graph of its own and its batches are handed over; nothing else of the program is in that graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

_v1 = tf.compat.v1


class GraphInput:
    """Batches from the TF1 function `build`, which makes readers, queues and batching ops and returns tensors.

    Args:
        build: called once, in a graph of its own, on the CPU; returns a tensor or a nest of tensors.
        args, kwargs: given to `build`.

    The pipeline starts at the first batch. Its initializers run and its queue runners are started, as
    `tf.train.start_queue_runners` did.
    """

    def __init__(self, build: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        self._graph = tf.Graph()
        with self._graph.as_default(), tf.device("/cpu:0"):
            self._batch = build(*args, **kwargs)
            self._initializers = [
                _v1.global_variables_initializer(),
                _v1.local_variables_initializer(),
                _v1.tables_initializer(),
            ]
        self._leaves = tf.nest.flatten(self._batch, expand_composites=True)
        self._session: Any = None
        self._coordinator: Any = None

    def get_next(self) -> Any:
        """The next batch, in the structure `build` returned, as eager tensors of the same static shapes.

        Raises:
            tf.errors.OutOfRangeError: the pipeline is exhausted (`num_epochs`, `limit_epochs`).
        """
        if self._session is None:
            self._start()
        arrays = self._session.run(self._leaves)
        tensors = [
            tf.constant(array, dtype=leaf.dtype) for array, leaf in zip(arrays, self._leaves, strict=True)
        ]
        return tf.nest.pack_sequence_as(self._batch, tensors, expand_composites=True)

    @property
    def element_spec(self) -> Any:
        """The `tf.TensorSpec` of every part of a batch, in the structure `build` returned."""
        return tf.nest.map_structure(lambda part: tf.TensorSpec(part.shape, part.dtype), self._batch)

    def per_tower(self, strategy: Any) -> Any:
        """A batch for every tower: what `dequeue()` inside the loop gave each of them."""
        return strategy.experimental_distribute_values_from_function(lambda context: self.get_next())

    def close(self) -> None:
        """Stops the queue runners; the next `get_next` starts afresh."""
        if self._session is not None:
            self._coordinator.request_stop()
            self._session.close()
            self._session = None

    def _start(self) -> None:
        with self._graph.as_default():
            self._session = _v1.Session(graph=self._graph)
            for initializer in self._initializers:
                self._session.run(initializer)
            self._coordinator = tf.train.Coordinator()
            _v1.train.start_queue_runners(self._session, self._coordinator, daemon=True)


class TowerInputs:
    """One pipeline a tower, where the TF1 loop built its input inside every tower."""

    def __init__(self, strategy: Any, build: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        count = strategy.num_replicas_in_sync
        self._strategy = strategy
        self._pipelines = [GraphInput(build, *args, **kwargs) for _ in range(count)]

    def get_next(self) -> Any:
        """The next batch of every tower, as per-replica values for `strategy.run`."""
        return self._strategy.experimental_distribute_values_from_function(
            lambda context: self._pipelines[int(context.replica_id_in_sync_group)].get_next()
        )
