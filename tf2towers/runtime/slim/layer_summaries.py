# Copyright 2015 The TensorFlow Authors. All Rights Reserved.
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
# From tensorflow/contrib/layers/python/layers/summaries.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# mypy: ignore-errors
"""Utility functions for summary creation."""

from __future__ import annotations

import functools
import re

import tensorflow.compat.v1 as tf

# TODO(wicke): add more unit tests for summarization functions.


def _add_scalar_summary(tensor, tag=None):
    """Add a scalar summary operation for the tensor."""
    tensor.get_shape().assert_has_rank(0)
    tag = tag or f"{tensor.op.name}_summary"
    return tf.summary.scalar(tag, tensor)


def _add_histogram_summary(tensor, tag=None):
    """Add a summary operation for the histogram of a tensor."""
    tag = tag or f"{tensor.op.name}_summary"
    return tf.summary.histogram(tag, tensor)


def summarize_activation(op):
    """Summarize an activation."""
    if op.op.type in ("Relu", "Softplus", "Relu6"):
        # Using inputs to avoid floating point equality and/or epsilons.
        _add_scalar_summary(
            tf.reduce_mean(tf.to_float(tf.less(op.op.inputs[0], tf.cast(0.0, op.op.inputs[0].dtype)))),
            f"{op.op.name}/zeros",
        )
    if op.op.type == "Relu6":
        _add_scalar_summary(
            tf.reduce_mean(tf.to_float(tf.greater(op.op.inputs[0], tf.cast(6.0, op.op.inputs[0].dtype)))),
            f"{op.op.name}/sixes",
        )
    return _add_histogram_summary(op, f"{op.op.name}/activation")


def summarize_tensor(tensor, tag=None):
    """Summarize a tensor using a suitable summary type."""
    # Skips string tensors and boolean tensors (not handled by the summaries).
    if tensor.dtype.is_compatible_with(tf.string) or tensor.dtype.base_dtype == tf.bool:
        return None

    if tensor.get_shape().ndims == 0:
        # For scalars, use a scalar summary.
        return _add_scalar_summary(tensor, tag)
    # We may land in here if the rank is still unknown. The histogram won't
    # hurt if this ends up being a scalar.
    return _add_histogram_summary(tensor, tag)


def summarize_tensors(tensors, summarizer=summarize_tensor):
    """Summarize a set of tensors."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor):
    """Summarize a graph collection of tensors, possibly filtered by name."""
    tensors = []
    for op in tf.get_collection(collection):
        if name_filter is None or re.match(name_filter, op.op.name):
            tensors.append(op)
    return summarize_tensors(tensors, summarizer)


# Utility functions for commonly used collections
summarize_variables = functools.partial(summarize_collection, tf.GraphKeys.GLOBAL_VARIABLES)

summarize_weights = functools.partial(summarize_collection, tf.GraphKeys.WEIGHTS)

summarize_biases = functools.partial(summarize_collection, tf.GraphKeys.BIASES)


def summarize_activations(name_filter=None, summarizer=summarize_activation):
    """Summarize activations, using `summarize_activation` to summarize."""
    return summarize_collection(tf.GraphKeys.ACTIVATIONS, name_filter, summarizer)
