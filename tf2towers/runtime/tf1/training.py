"""`tf.contrib.training`: buckets of batches, placement by size, hyperparameters; the rest is tf_slim's."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf
from tf_slim.training.evaluation import *  # noqa: F403 - a face, not a copy
from tf_slim.training.training import *  # noqa: F403

from tf2towers.runtime.tf1.hparams import HParams, parse_values  # noqa: F401 - as there

v1 = tf.compat.v1


def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Batches of examples that belong to one bucket, made by queues.

    Args:
        tensors: an example: a list or a dictionary.
        which_bucket: int32 scalar, its bucket.
        batch_size: of all buckets, or a list with one for each.
        num_buckets: how many there are.
        num_threads: how many threads fill them.
        capacity: how many examples a bucket holds, and how many batches wait.
        bucket_capacities: how many examples each bucket holds.
        shapes: of the tensors, by default those that are known.
        dynamic_pad: whether examples of a batch are padded to one shape.
        allow_smaller_final_batch: whether the last batches may be smaller.
        keep_input: bool scalar, whether the example counts.
        shared_name: not served.
        name: of the operations.

    Returns:
        The batch's bucket, and the batch; of a list with one tensor that alone.

    Raises:
        NotImplementedError: a sparse tensor, or `shared_name`.
        ValueError: no tensors, or a list of another length than `num_buckets`.
    """
    if shared_name is not None:
        raise NotImplementedError("tf2towers: bucket(shared_name=...)")
    names = sorted(tensors) if isinstance(tensors, dict) else None
    listed = list(tensors) if names is None else [tensors[key] for key in names]
    if any(isinstance(tensor, tf.SparseTensor) for tensor in listed):
        raise NotImplementedError("tf2towers: bucket of sparse tensors")
    sizes = list(batch_size) if isinstance(batch_size, list | tuple) else [batch_size] * num_buckets
    capacities = [capacity] * num_buckets if bucket_capacities is None else list(bucket_capacities)
    with v1.name_scope(name, "bucket", listed) as scope:
        listed = [tf.convert_to_tensor(tensor) for tensor in listed]
        for what, given in (("batch_size", sizes), ("bucket_capacities", capacities)):
            if len(given) != num_buckets:
                raise ValueError(f"If {what} is a list it must have {num_buckets} elements")
        if num_buckets < 1 or not listed:
            raise ValueError("bucket needs one bucket and one tensor at least")
        shapes = (
            [tensor.shape for tensor in listed]
            if shapes is None
            else [tf.TensorShape(shape) for shape in shapes]
        )
        types = [tensor.dtype for tensor in listed]
        queue = tf.queue.PaddingFIFOQueue if dynamic_pad else tf.queue.FIFOQueue
        queues = [
            queue(capacities[number], types, shapes, name=f"bucket_queue_{number}")
            for number in range(num_buckets)
        ]
        size = None if allow_smaller_final_batch or len(set(sizes)) > 1 else tf.get_static_value(sizes[0])
        batches = [tf.TensorShape([size]).concatenate(shape) for shape in shapes]
        top = (
            queue(capacity, [tf.int32, *types], [tf.TensorShape([]), *batches], name="top_queue")
            if (dynamic_pad or all(shape.is_fully_defined() for shape in batches))
            else tf.queue.FIFOQueue(capacity, [tf.int32, *types], name="top_queue")
        )
        keep = tf.convert_to_tensor(keep_input)

        def filling(number: int) -> Any:
            here = tf.logical_and(keep, tf.equal(which_bucket, number))
            return v1.cond(here, lambda: tf.group(queues[number].enqueue(listed)), tf.no_op)

        fill = tf.group(*[filling(number) for number in range(num_buckets)])
        closing = tf.group(*[each.close() for each in queues])
        cancelling = tf.group(*[each.close(cancel_pending_enqueues=True) for each in queues])
        ends = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        runner = v1.train.QueueRunner(queues[0], [fill] * num_threads, closing, cancelling, ends)
        v1.train.add_queue_runner(runner)
        take = "dequeue_up_to" if allow_smaller_final_batch else "dequeue_many"
        moving = []
        for number, each in enumerate(queues):
            taken = getattr(each, take)(sizes[number])
            moving.append(top.enqueue([tf.constant(number), *(taken if len(types) > 1 else [taken])]))
            v1.summary.scalar(f"bucket/{each.name}/size", tf.cast(each.size(), tf.float32))
        v1.train.add_queue_runner(v1.train.QueueRunner(top, moving, queue_closed_exception_types=ends))
        full = tf.cast(top.size(), tf.float32) * (1.0 / capacity)
        v1.summary.scalar(f"bucket/{top.name}/fraction_of_{capacity}_full", full)
        which, *batch = top.dequeue(name=scope)
        which.set_shape([])
        for tensor, shape in zip(batch, batches, strict=True):
            tensor.set_shape(shape)
    if names is not None:
        return which, dict(zip(names, batch, strict=True))
    return which, batch if len(batch) > 1 else batch[0]


def bucket_by_sequence_length(
    input_length: Any,
    tensors: Any,
    batch_size: Any,
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Batches of sequences of like length: the first bucket has those shorter than the first boundary, and so on.

    Args:
        input_length: int32 scalar, the sequence's length.
        bucket_boundaries: growing whole numbers; there is one bucket more than there are boundaries.
        tensors, batch_size, num_threads, capacity, bucket_capacities, shapes, dynamic_pad, allow_smaller_final_batch,
            keep_input, shared_name, name: see `bucket`.

    Returns:
        The lengths of the batch's sequences, and the batch.

    Raises:
        TypeError: boundaries that are not a list of whole numbers.
        ValueError: no boundaries, or they do not grow.
    """
    if not isinstance(bucket_boundaries, list | tuple):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}")
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for number, (this, following) in enumerate(
        zip(bucket_boundaries, [*bucket_boundaries[1:], math.inf], strict=True)
    ):
        if not isinstance(this, int):
            raise TypeError(f"bucket boundary {number} is not an integer: {this}")
        if this >= following:
            raise ValueError(
                f"Buckets must contain sequential increasing lengths, but saw: {this} before {following}"
            )
    count = len(bucket_boundaries) + 1
    with v1.name_scope(name, "bucket_by_sequence_length"):
        length = tf.convert_to_tensor(input_length, tf.int32)
        which = tf.reduce_sum(tf.cast(length >= tf.constant(list(bucket_boundaries)), tf.int32))
        given = {**tensors, "\0length": length} if isinstance(tensors, dict) else [length, *tensors]
        if shapes is not None:
            shapes = [tf.TensorShape([]), *shapes]
        _, batch = bucket(
            given,
            which,
            batch_size,
            count,
            num_threads,
            capacity,
            bucket_capacities,
            shapes,
            dynamic_pad,
            allow_smaller_final_batch,
            keep_input,
            shared_name,
        )
    return (batch.pop("\0length"), batch) if isinstance(batch, dict) else (batch[0], batch[1:])


class GreedyLoadBalancingStrategy:
    """Places each variable on the parameter server that has the least so far: of `tf.train.replica_device_setter`.

    Args:
        num_tasks: how many parameter servers there are.
        load_fn: how much an operation adds, `byte_size_load_fn`.
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[tf.Operation], float]) -> None:
        self._load_fn = load_fn
        self._loads = [0.0] * num_tasks

    def __call__(self, op: tf.Operation) -> int:
        """The number of the server for an operation."""
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: tf.Operation) -> float:
    """How many bytes a variable has.

    Raises:
        ValueError: its shape is not known.
    """
    handle = op.type == "VarHandleOp"
    shape = tf.TensorShape(op.get_attr("shape")) if handle else op.outputs[0].shape
    shape.assert_is_fully_defined()
    return (op.get_attr("dtype") if handle else op.outputs[0].dtype).size * shape.num_elements()
