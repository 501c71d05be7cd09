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
# From tensorflow/contrib/training/python/training/device_setter.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: UP031
# mypy: ignore-errors
"""Strategies for placing variables on parameter servers."""

from __future__ import annotations

import hashlib

import numpy as np
import tensorflow.compat.v1 as tf


class RandomStrategy:
    """Returns a random PS task for op placement."""

    def __init__(self, num_ps_tasks, seed=0):
        """Creates a new `RandomStrategy`."""
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op):
        """Chooses a ps task index for the given `Operation`."""
        key = "%s_%d" % (op.name, self._seed)
        key = key.encode("utf-8")
        # Use MD5 instead of Python's built-in hash() to get consistent outputs
        # between runs.
        n = int(hashlib.md5(key).hexdigest(), 16)
        return int(n % self._num_tasks)


class GreedyLoadBalancingStrategy:
    """Returns the least-loaded ps task for op placement."""

    def __init__(self, num_tasks, load_fn):
        """Create a new `LoadBalancingStrategy`."""
        self._num_tasks = num_tasks
        self._load_fn = load_fn
        self._ps_loads = np.zeros(num_tasks)

    def __call__(self, op):
        """Choose a ps task index for the given `Operation`."""
        task = np.argmin(self._ps_loads)
        self._ps_loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op):
    """Load function that computes the byte size of a single-output `Operation`."""
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    output = op.outputs[0]
    elem_size = output.dtype.size
    shape = output.get_shape()
    if not shape.is_fully_defined():
        # Due to legacy behavior, scalar "Variable" ops have output Tensors that
        # have unknown shape when the op is created (and hence passed to this
        # load function for placement), even though the scalar shape is set
        # explicitly immediately afterward.
        shape = tf.TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    return shape.num_elements() * elem_size
