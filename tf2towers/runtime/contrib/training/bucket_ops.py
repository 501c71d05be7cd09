# Copyright 2016 The TensorFlow Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
#
# From tensorflow/contrib/training/python/training/bucket_ops.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: B905, E731, PLR0915, PLR1704, PLW2901, RUF007, UP031
# mypy: ignore-errors
"""Operations for bucketing data into groups."""

from __future__ import annotations

import functools

import numpy as np
import tensorflow.compat.v1 as tf

from tf2towers.runtime.contrib import support


def _as_tensor_list(tensors):
    return [tensors[k] for k in sorted(tensors, key=str)] if isinstance(tensors, dict) else tensors


def _as_original_type(original_tensors, tensor_list):
    if not isinstance(original_tensors, dict):
        return tensor_list
    if len(original_tensors) == 1:  # a single tensor is no list
        tensor_list = [tensor_list]
    return {k: tensor_list[i] for i, k in enumerate(sorted(original_tensors, key=str))}


def _validate_keep_input(keep_input):
    keep_input = tf.convert_to_tensor(keep_input)
    if keep_input.shape.ndims != 0:
        raise ValueError("`keep_input` must be a scalar.")
    return keep_input


def _shapes(tensor_list, shapes):
    if shapes is not None:
        return shapes
    for tensor in tensor_list:
        if tensor.shape.ndims is None:
            raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
    return [tensor.shape.as_list() for tensor in tensor_list]


def _validate_bucket(tensor_list):
    if any(isinstance(tensor, tf.SparseTensor) for tensor in tensor_list):
        raise TypeError("sparse tensors in bucket() are not supported by tf2towers: make them dense before")
    tensor_list = [tf.convert_to_tensor(tensor) for tensor in tensor_list]
    if not tensor_list:
        raise ValueError("Expected at least one tensor in bucket().")
    return tensor_list


def bucket(
    tensors,
    which_bucket,
    batch_size,
    num_buckets,
    num_threads=1,
    capacity=32,
    bucket_capacities=None,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    keep_input=True,
    shared_name=None,
    name=None,
):
    """Lazy bucketing of input tensors according to `which_bucket`."""
    batch_size_per_bucket = False
    if isinstance(batch_size, (list, tuple)):
        batch_size_per_bucket = True
        if len(batch_size) != num_buckets:
            raise ValueError("If batch_size is a list it must have num_buckets elements")
    else:
        batch_size = [batch_size] * num_buckets

    if bucket_capacities is None:
        bucket_capacities = [capacity] * num_buckets
    if len(bucket_capacities) != num_buckets:
        raise ValueError(
            "The list bucket_capacities (%s) must have exactly num_buckets (%d) "
            "elements." % (str(bucket_capacities), num_buckets)
        )

    tensor_list = _as_tensor_list(tensors)
    with tf.name_scope(name, "bucket", tensor_list) as name:
        tensor_list = _validate_bucket(tensor_list)
        keep_input = _validate_keep_input(keep_input)

        # Round-trip batch_size to a tensor, and possibly back
        for i, bucket_batch_size in enumerate(batch_size):
            bucket_batch_size = tf.convert_to_tensor(bucket_batch_size, dtype=tf.int32, name="batch_size")
            static_batch_size = tf.get_static_value(bucket_batch_size)
            batch_size[i] = static_batch_size if static_batch_size is not None else bucket_batch_size

        types = [tensor.dtype for tensor in tensor_list]
        shapes = _shapes(tensor_list, shapes)

        which_bucket = tf.convert_to_tensor(which_bucket, dtype=tf.int32, name="which_bucket")

        queue_creator = tf.PaddingFIFOQueue if dynamic_pad else tf.FIFOQueue
        bucket_queues = []
        for i in range(num_buckets):
            shared_name_i = "%s_%d" % (shared_name, i) if shared_name is not None else None
            bucket_queues.append(
                queue_creator(
                    capacity=bucket_capacities[i],
                    dtypes=types,
                    shapes=shapes,
                    shared_name=shared_name_i,
                    name="bucket_queue_%d" % i,
                )
            )

        maybe_static_batch_size = (
            None if (allow_smaller_final_batch or batch_size_per_bucket) else static_batch_size
        )

        bucket_shapes = [
            tf.TensorShape([maybe_static_batch_size]).concatenate(s) for s in bucket_queues[0].shapes
        ]
        # top_queue is a PaddingFIFOQueue even if the bucket queues are regular FIFO
        # queues because if we use allow_smaller_final_batch, shapes will
        # contain Nones in their first entry; as a result, a regular
        # FIFOQueue would die when being passed shapes that are not fully defined.
        top_queue = tf.PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[tf.int32, *types],
            shapes=[tf.TensorShape([]), *bucket_shapes],
            shared_name=shared_name,
            name="top_queue",
        )

        def enqueue_which():
            """Return an op that enqueues conditionally in one of the queues."""

            def enqueue_single(i):
                return bucket_queues[i].enqueue(tensor_list)

            enqueues = [
                tf.cond(tf.equal(which_bucket, i), functools.partial(enqueue_single, i), tf.no_op)
                for i in range(num_buckets)
            ]
            return tf.group(*enqueues, name="group_enqueues")

        maybe_enqueue = support.smart_cond(keep_input, enqueue_which, tf.no_op)

        bucket_enqueue_ops = [maybe_enqueue] * num_threads

        if allow_smaller_final_batch:
            which_dequeue = lambda q: q.dequeue_up_to
        else:
            which_dequeue = lambda q: q.dequeue_many

        def make_list(t):
            if isinstance(t, (list, tuple)):
                return t
            return [t]

        enqueues_to_top = [
            top_queue.enqueue(
                [tf.constant(i), *make_list(which_dequeue(q)(bs, name="read_bucket_%d" % i))],
                name="enqueue_from_bucket_%d" % i,
            )
            for i, (q, bs) in enumerate(zip(bucket_queues, batch_size))
        ]

        tf.train.add_queue_runner(
            tf.train.QueueRunner(
                bucket_queues[0],
                enqueues_to_top,
                close_op=top_queue.close(),
                cancel_op=top_queue.close(cancel_pending_enqueues=True),
                queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
            )
        )
        tf.train.add_queue_runner(
            tf.train.QueueRunner(
                top_queue,
                bucket_enqueue_ops,
                close_op=tf.group(*[q.close() for q in bucket_queues]),
                cancel_op=tf.group(*[q.close(cancel_pending_enqueues=True) for q in bucket_queues]),
                queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError),
            )
        )

        for q in bucket_queues:
            tf.summary.scalar(f"bucket/{q.name}/size", tf.cast(top_queue.size(), tf.float32))
        tf.summary.scalar(
            "bucket/%s/fraction_of_%d_full" % (top_queue.name, capacity),
            tf.cast(top_queue.size(), tf.float32) * (1.0 / capacity),
        )

        dequeued = top_queue.dequeue(name="dequeue_top")
        which_bucket_dequeued = dequeued[0]
        dequeued = dequeued[1:]
        if len(dequeued) == 1:
            dequeued = dequeued[0]
        return (which_bucket_dequeued, _as_original_type(tensors, dequeued))


def bucket_by_sequence_length(
    input_length,
    tensors,
    batch_size,
    bucket_boundaries,
    num_threads=1,
    capacity=32,
    bucket_capacities=None,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    keep_input=True,
    shared_name=None,
    name=None,
):
    """Lazy bucketing of inputs according to their length."""
    tensor_list = _as_tensor_list(tensors)
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}")
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for s, e in zip(bucket_boundaries[:-1], bucket_boundaries[1:]):
        if not isinstance(s, int) or not isinstance(e, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {s} and {e}")
        if s >= e:
            raise ValueError(
                "Buckets must contain sequential increasing lengths, but saw: %d before %d" % (s, e)
            )

    with tf.name_scope(name, "bucket_by_sequence_length", [input_length, *tensor_list]) as name:
        input_length = tf.convert_to_tensor(input_length, dtype=tf.int32, name="input_length")
        # Bucketing conditions are:
        #   l < b[0]
        #   b[0] <= l < b[1]
        #   b[1] <= l < b[2]
        #   ...
        #   b[N-2] <= l < b[N-1]
        #   b[N-1] <= l
        # Equivalent to:
        #   [-inf, b[0], b[1], ..., b[N-1]] <= l < [b[0], b[1], ..., b[N-1], inf]
        buckets_min = [np.iinfo(np.int32).min, *list(bucket_boundaries)]
        buckets_max = [*list(bucket_boundaries), np.iinfo(np.int32).max]
        conditions_c = tf.logical_and(
            tf.less_equal(buckets_min, input_length), tf.less(input_length, buckets_max)
        )
        which_bucket = tf.reduce_min(tf.where_v2(conditions_c))
        which_bucket = tf.cast(which_bucket, tf.int32)

        if shapes is not None:
            shapes = [tf.TensorShape([]), *shapes]

        _, dequeued = bucket(
            tensors=[input_length, *tensor_list],
            which_bucket=which_bucket,
            batch_size=batch_size,
            num_buckets=len(bucket_boundaries) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=shapes,
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
        )

        return (dequeued[0], _as_original_type(tensors, dequeued[1:]))
