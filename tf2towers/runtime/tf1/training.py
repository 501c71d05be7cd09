"""`tf.contrib.training`: buckets, placement by size, hyperparameters; the rest is tf_slim's."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf
from tf_slim.training.evaluation import *  # noqa: F403 - a face, not a copy
from tf_slim.training.training import *  # noqa: F403

from tf2towers.runtime.patches.private import private
from tf2towers.runtime.tf1.hparams import HParams  # noqa: F401 - as there

v1 = tf.compat.v1
_FEATURE = "tf.contrib.training.bucket"


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
    """The lengths, and the batch, of sequences of like length, which queues collect.

    Args:
        input_length, tensors, keep_input: an example: its length, a list or a dictionary, and
            whether it counts.
        batch_size: of all buckets, or a list with one for each.
        bucket_boundaries: growing whole numbers; the first bucket has the sequences shorter than
            the first of them.
        num_threads: how many threads fill the buckets.
        capacity: how many batches wait, and how many examples a bucket holds, unless
            `bucket_capacities` says it.
        shapes: of the tensors, by default those that are known; with `dynamic_pad` a batch is
            padded to one shape.
        allow_smaller_final_batch: whether the last batches may be smaller.
        shared_name, name: of the queues, which sessions of a cluster share by it, and of the
            operations.

    Raises:
        ValueError: no boundaries, or they do not grow; a list of another length than there are
            buckets.
    """
    example = tensors if isinstance(tensors, dict) else list(tensors)
    boundaries, count = list(bucket_boundaries), len(bucket_boundaries) + 1
    sizes = list(batch_size) if isinstance(batch_size, list | tuple) else [batch_size] * count
    capacities = [capacity] * count if bucket_capacities is None else list(bucket_capacities)
    if not boundaries or boundaries != sorted(set(boundaries)) or not len(sizes) == len(capacities) == count:
        raise ValueError("buckets need growing boundaries, and a size and a capacity each")
    with v1.name_scope(name, "bucket_by_sequence_length"), v1.name_scope("bucket"):
        length = tf.convert_to_tensor(input_length, tf.int32)
        which = tf.reduce_sum(tf.cast(length >= tf.constant(boundaries), tf.int32))
        parts = map(v1.convert_to_tensor_or_sparse_tensor, tf.nest.flatten(example))
        store = private("training.input._store_sparse_tensors", _FEATURE)
        listed, sparse = store([length, *parts], False, tf.convert_to_tensor(keep_input))
        given = [tensor.shape for tensor in listed] if shapes is None else [[], *shapes]
        known, types = [tf.TensorShape(shape) for shape in given], [tensor.dtype for tensor in listed]
        new = tf.queue.PaddingFIFOQueue if dynamic_pad else tf.queue.FIFOQueue
        queues = [
            new(
                most, types, known, shared_name=shared_name and f"{shared_name}_{n}", name=f"bucket_queue_{n}"
            )
            for n, most in enumerate(capacities)
        ]
        size = None if allow_smaller_final_batch or len(set(sizes)) > 1 else tf.get_static_value(sizes[0])
        batches = [tf.TensorShape([size]).concatenate(shape) for shape in known]
        has_shapes = dynamic_pad or all(shape.is_fully_defined() for shape in batches)
        top = new(capacity, types, batches if has_shapes else None, shared_name=shared_name, name="top_queue")

        def fill(number: int) -> Any:
            here = tf.logical_and(keep_input, tf.equal(which, number))
            return v1.cond(here, lambda: tf.group(queues[number].enqueue(listed)), tf.no_op)

        ends = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        filling = tf.group(*[fill(number) for number in range(count)])
        closing, cancelling = (tf.group(*[each.close(cancel) for each in queues]) for cancel in (False, True))
        take = "dequeue_up_to" if allow_smaller_final_batch else "dequeue_many"
        moving = [top.enqueue(getattr(each, take)(size)) for each, size in zip(queues, sizes, strict=True)]
        filler = v1.train.QueueRunner(queues[0], [filling] * num_threads, closing, cancelling, ends)
        v1.train.add_queue_runner(filler)
        v1.train.add_queue_runner(v1.train.QueueRunner(top, moving, queue_closed_exception_types=ends))
        for each in queues:
            v1.summary.scalar(f"bucket/{each.name}/size", tf.cast(each.size(), tf.float32))
        full = tf.cast(top.size(), tf.float32) * (1.0 / capacity)
        v1.summary.scalar(f"bucket/{top.name}/fraction_of_{capacity}_full", full)
        taken = top.dequeue(name="dequeue_top")
        for tensor, shape in zip(taken, batches, strict=True):
            tensor.set_shape(shape)
        restore = private("training.input._restore_sparse_tensors", _FEATURE)
        lengths, *batch = restore(taken, sparse)
    return lengths, tf.nest.pack_sequence_as(example, batch)


class GreedyLoadBalancingStrategy:
    """Places each variable on the server that has the least: of `replica_device_setter`.

    There are `num_tasks` of them, and `load_fn`, as `byte_size_load_fn`, says how much an operation
    adds.
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
    """How many bytes a variable has; a ValueError where its shape is not known."""
    handle = op.type == "VarHandleOp"
    shape = tf.TensorShape(op.get_attr("shape")) if handle else op.outputs[0].shape
    shape.assert_is_fully_defined()
    return (op.get_attr("dtype") if handle else op.outputs[0].dtype).size * shape.num_elements()
