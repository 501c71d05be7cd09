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
# From tensorflow/contrib/rnn/python/ops/core_rnn_cell.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: D102, RUF015, UP031
# mypy: ignore-errors
"""Module implementing RNN Cells that used to be in core."""

from __future__ import annotations

import math

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tf2towers.runtime.contrib import support
from tf2towers.runtime.graph_session.private import get_variable
from tf2towers.runtime.rnn.cell import RNNCell

_WEIGHTS_VARIABLE_NAME = "kernel"
_BIAS_VARIABLE_NAME = "bias"


class _Linear:
    """Linear map: sum_i(args[i] * W[i]), where W[i] is a variable."""

    def __init__(self, args, output_size, build_bias, bias_initializer=None, kernel_initializer=None):
        self._build_bias = build_bias

        if args is None or (tf2.nest.is_nested(args) and not args):
            raise ValueError("`args` must be specified")
        if not tf2.nest.is_nested(args):
            args = [args]
            self._is_sequence = False
        else:
            self._is_sequence = True

        # Calculate the total size of arguments on dimension 1.
        total_arg_size = 0
        shapes = [a.get_shape() for a in args]
        for shape in shapes:
            if shape.ndims != 2:
                raise ValueError(f"linear is expecting 2D arguments: {shapes}")
            if shape.dims[1].value is None:
                raise ValueError(
                    f"linear expects shape[1] to be provided for shape {shape}, but saw {shape[1]}"
                )
            total_arg_size += shape.dims[1].value

        dtype = [a.dtype for a in args][0]

        scope = tf.get_variable_scope()
        with tf.variable_scope(scope) as outer_scope:
            self._weights = get_variable(
                _WEIGHTS_VARIABLE_NAME,
                [total_arg_size, output_size],
                dtype=dtype,
                initializer=kernel_initializer,
            )
            if build_bias:
                with tf.variable_scope(outer_scope) as inner_scope:
                    inner_scope.set_partitioner(None)
                    if bias_initializer is None:
                        bias_initializer = tf.constant_initializer(0.0, dtype=dtype)
                    self._biases = get_variable(
                        _BIAS_VARIABLE_NAME, [output_size], dtype=dtype, initializer=bias_initializer
                    )

    def __call__(self, args):
        if not self._is_sequence:
            args = [args]

        if len(args) == 1:
            res = tf.matmul(args[0], self._weights)
        else:
            # Explicitly creating a one for a minor performance improvement.
            one = tf.constant(1, dtype=tf.int32)
            res = tf.matmul(tf.concat(args, one), self._weights)
        if self._build_bias:
            res = tf.nn.bias_add(res, self._biases)
        return res


def _linear(args, output_size, bias, bias_initializer=None, kernel_initializer=None):
    """Linear map: sum_i(args[i] * W[i]), where W[i] is a variable."""
    if args is None or (tf2.nest.is_nested(args) and not args):
        raise ValueError("`args` must be specified")
    if not tf2.nest.is_nested(args):
        args = [args]

    # Calculate the total size of arguments on dimension 1.
    total_arg_size = 0
    shapes = [a.get_shape() for a in args]
    for shape in shapes:
        if shape.ndims != 2:
            raise ValueError(f"linear is expecting 2D arguments: {shapes}")
        if shape.dims[1].value is None:
            raise ValueError(f"linear expects shape[1] to be provided for shape {shape}, but saw {shape[1]}")
        total_arg_size += shape.dims[1].value

    dtype = [a.dtype for a in args][0]

    # Now the computation.
    scope = tf.get_variable_scope()
    with tf.variable_scope(scope) as outer_scope:
        weights = get_variable(
            _WEIGHTS_VARIABLE_NAME, [total_arg_size, output_size], dtype=dtype, initializer=kernel_initializer
        )
        if len(args) == 1:
            res = tf.matmul(args[0], weights)
        else:
            res = tf.matmul(tf.concat(args, 1), weights)
        if not bias:
            return res
        with tf.variable_scope(outer_scope) as inner_scope:
            inner_scope.set_partitioner(None)
            if bias_initializer is None:
                bias_initializer = tf.constant_initializer(0.0, dtype=dtype)
            biases = get_variable(
                _BIAS_VARIABLE_NAME, [output_size], dtype=dtype, initializer=bias_initializer
            )
        return tf.nn.bias_add(res, biases)


class EmbeddingWrapper(RNNCell):
    """Operator adding input embedding to the given cell."""

    def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
        """Create a cell with an added input embedding."""
        super().__init__(_reuse=reuse)
        support.assert_like_rnncell("cell", cell)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                "%d, %d." % (embedding_classes, embedding_size)
            )
        self._cell = cell
        self._embedding_classes = embedding_classes
        self._embedding_size = embedding_size
        self._initializer = initializer

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)

    def call(self, inputs, state):
        """Run the cell on embedded inputs."""
        with tf.device("/cpu:0"):
            if self._initializer:
                initializer = self._initializer
            elif tf.get_variable_scope().initializer:
                initializer = tf.get_variable_scope().initializer
            else:
                # Default initializer for embeddings should have variance=1.
                sqrt3 = math.sqrt(3)  # Uniform(-sqrt(3), sqrt(3)) has variance=1.
                initializer = tf.random_uniform_initializer(-sqrt3, sqrt3)

            if isinstance(state, tuple):
                data_type = state[0].dtype
            else:
                data_type = state.dtype

            embedding = get_variable(
                "embedding",
                [self._embedding_classes, self._embedding_size],
                initializer=initializer,
                dtype=data_type,
            )
            embedded = tf.nn.embedding_lookup(embedding, tf.reshape(inputs, [-1]))

            return self._cell(embedded, state)


class InputProjectionWrapper(RNNCell):
    """Operator adding an input projection to the given cell."""

    def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
        """Create a cell with input projection."""
        super().__init__(_reuse=reuse)
        if input_size is not None:
            tf.logging.warning("%s: The input_size parameter is deprecated.", self)
        support.assert_like_rnncell("cell", cell)
        self._cell = cell
        self._num_proj = num_proj
        self._activation = activation
        self._linear = None

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)

    def call(self, inputs, state):
        """Run the input projection and then the cell."""
        # Default scope: "InputProjectionWrapper"
        if self._linear is None:
            self._linear = _Linear(inputs, self._num_proj, True)
        projected = self._linear(inputs)
        if self._activation:
            projected = self._activation(projected)
        return self._cell(projected, state)


class OutputProjectionWrapper(RNNCell):
    """Operator adding an output projection to the given cell."""

    def __init__(self, cell, output_size, activation=None, reuse=None):
        """Create a cell with output projection."""
        super().__init__(_reuse=reuse)
        support.assert_like_rnncell("cell", cell)
        if output_size < 1:
            raise ValueError("Parameter output_size must be > 0: %d." % output_size)
        self._cell = cell
        self._output_size = output_size
        self._activation = activation
        self._linear = None

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._output_size

    def zero_state(self, batch_size, dtype):
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)

    def call(self, inputs, state):
        """Run the cell and output projection on inputs, starting from state."""
        output, res_state = self._cell(inputs, state)
        if self._linear is None:
            self._linear = _Linear(output, self._output_size, True)
        projected = self._linear(output)
        if self._activation:
            projected = self._activation(projected)
        return projected, res_state
