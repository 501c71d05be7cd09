"""`tf.contrib.slim.prefetch_queue`: whole batches made ahead, from which each tower takes one."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

_v1 = tf.compat.v1


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """A queue that a queue runner fills with `tensors`, a list or dict of any shapes; `dequeue()` gives one of each.

    Queue, runner and summary are those of TF 1.15 (`contrib/slim/python/slim/data/prefetch_queue.py`), under its names.
    """
    names = sorted(tensors) if isinstance(tensors, dict) else None
    parts = list(tensors) if names is None else [tensors[key] for key in names]
    with _v1.name_scope(name, "prefetch_queue", parts):
        queue_class = _v1.PaddingFIFOQueue if dynamic_pad else _v1.FIFOQueue
        queue = queue_class(
            capacity=capacity,
            dtypes=[part.dtype for part in parts],
            shapes=[part.shape for part in parts],
            names=names,
            shared_name=shared_name,
        )
        filling = queue.enqueue(tensors)
        _v1.train.add_queue_runner(_v1.train.QueueRunner(queue, [filling] * num_threads))
        _v1.summary.scalar(
            f"fraction_of_{capacity}_full", tf.cast(queue.size(), tf.float32) * (1.0 / capacity)
        )
    return queue
