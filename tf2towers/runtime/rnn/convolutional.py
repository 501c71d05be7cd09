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
# From tensorflow/contrib/rnn/python/ops/rnn_cell.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: D102
# mypy: ignore-errors
"""Cells of `tf.contrib.rnn` that convolve: `ConvLSTMCell`, and the same for one, two and three dimensions."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from tf2towers.runtime.graph_session.private import get_variable
from tf2towers.runtime.rnn.cell import RNNCell
from tf2towers.runtime.rnn.lstm import LSTMStateTuple


class ConvLSTMCell(RNNCell):
    """`tf.contrib.rnn.ConvLSTMCell` (Shi et al., 2015)."""

    def __init__(
        self,
        conv_ndims,
        input_shape,
        output_channels,
        kernel_shape,
        use_bias=True,
        skip_connection=False,
        forget_bias=1.0,
        initializers=None,
        name="conv_lstm_cell",
    ):
        super().__init__(name=name)
        del initializers
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._conv_ndims = conv_ndims
        self._input_shape = input_shape
        self._output_channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._forget_bias = forget_bias
        self._skip_connection = skip_connection
        channels = output_channels + (input_shape[-1] if skip_connection else 0)
        size = tf.TensorShape(input_shape[:-1] + [output_channels])  # noqa: RUF005 - a tuple is refused, as in TF1
        self._state_size = LSTMStateTuple(size, size)
        self._output_size = tf.TensorShape(input_shape[:-1] + [channels])  # noqa: RUF005

    @property
    def output_size(self):
        return self._output_size

    @property
    def state_size(self):
        return self._state_size

    def call(self, inputs, state, scope=None):
        cell, hidden = state
        new_hidden = _conv([inputs, hidden], self._kernel_shape, 4 * self._output_channels, self._use_bias)
        gates = tf.split(value=new_hidden, num_or_size_splits=4, axis=self._conv_ndims + 1)
        input_gate, new_input, forget_gate, output_gate = gates
        new_cell = tf.sigmoid(forget_gate + self._forget_bias) * cell
        new_cell += tf.sigmoid(input_gate) * tf.tanh(new_input)
        output = tf.tanh(new_cell) * tf.sigmoid(output_gate)
        if self._skip_connection:
            output = tf.concat([output, inputs], axis=-1)
        return output, LSTMStateTuple(new_cell, output)


class Conv1DLSTMCell(ConvLSTMCell):
    """`tf.contrib.rnn.Conv1DLSTMCell`."""

    def __init__(self, name="conv_1d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """`tf.contrib.rnn.Conv2DLSTMCell`."""

    def __init__(self, name="conv_2d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """`tf.contrib.rnn.Conv3DLSTMCell`."""

    def __init__(self, name="conv_3d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=3, name=name, **kwargs)


def _conv(args, filter_size, num_features, bias, bias_start=0.0):
    shapes = [argument.get_shape().as_list() for argument in args]
    rank = len(shapes[0])
    if any(len(shape) not in (3, 4, 5) for shape in shapes):
        raise ValueError(f"Conv Linear expects 3D, 4D or 5D arguments: {shapes}")
    if any(len(shape) != rank for shape in shapes):
        raise ValueError(f"Conv Linear expects all args to be of same Dimension: {shapes}")
    depth = sum(shape[-1] for shape in shapes)
    dtype = args[0].dtype
    convolve, strides = {
        3: (tf.nn.conv1d, 1),
        4: (tf.nn.conv2d, [1] * 4),
        5: (tf.nn.conv3d, [1] * 5),
    }[rank]
    kernel = get_variable("kernel", [*filter_size, depth, num_features], dtype=dtype)
    inputs = args[0] if len(args) == 1 else tf.concat(axis=rank - 1, values=args)
    result = convolve(inputs, kernel, strides, padding="SAME")
    if not bias:
        return result
    initializer = tf.constant_initializer(bias_start, dtype=dtype)
    return result + get_variable("biases", [num_features], dtype=dtype, initializer=initializer)
