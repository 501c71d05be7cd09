"""Cells whose state is one tensor: the plain one and the gated one (`BasicRNNCell`, `GRUCell`)."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.arguments import activation_function, initializer_function
from tf2towers.runtime.layers.base import InputSpec
from tf2towers.runtime.layers.types import Activation, Initializer
from tf2towers.runtime.rnn.cell import LayerRNNCell, check_floating, known_depth

v1 = tf.compat.v1


class BasicRNNCell(LayerRNNCell):
    """`tf.nn.rnn_cell.BasicRNNCell`: activation(inputs and state, times `kernel`, plus `bias`)."""

    def __init__(
        self,
        num_units: int,
        activation: Activation = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_floating(dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_function(activation) or tf.tanh

    @property
    def state_size(self) -> int:
        """`num_units`."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """`num_units`."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """`kernel`: (depth + units, units); `bias`: (units,)."""
        self._kernel = self.add_variable(
            "kernel", shape=[known_depth(input_shape) + self._num_units, self._num_units]
        )
        self._bias = self.add_variable("bias", shape=[self._num_units], initializer=v1.zeros_initializer())
        self.built = True

    def call(self, inputs: tf.Tensor, state: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """(batch, depth) and (batch, units) -> the new state, twice."""
        check_floating(inputs, state)
        total = tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(total)
        return output, output


class GRUCell(LayerRNNCell):
    """`tf.nn.rnn_cell.GRUCell`: variables `gates/kernel`, `gates/bias`, `candidate/kernel`, `candidate/bias`."""

    def __init__(
        self,
        num_units: int,
        activation: Activation = None,
        reuse: Any = None,
        kernel_initializer: Initializer = None,
        bias_initializer: Initializer = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_floating(dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_function(activation) or tf.tanh
        self._kernel_initializer = initializer_function(kernel_initializer)
        self._bias_initializer = initializer_function(bias_initializer)

    @property
    def state_size(self) -> int:
        """`num_units`."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """`num_units`."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Kernels (depth + units, two or one times units); the gates start open: their bias at one."""
        rows, units = known_depth(input_shape) + self._num_units, self._num_units
        given = self._bias_initializer
        ones, zeros = given or v1.constant_initializer(1.0), given or v1.zeros_initializer()
        self._gate_kernel = self.add_variable(
            "gates/kernel", [rows, 2 * units], initializer=self._kernel_initializer
        )
        self._gate_bias = self.add_variable("gates/bias", [2 * units], initializer=ones)
        self._candidate_kernel = self.add_variable(
            "candidate/kernel", [rows, units], initializer=self._kernel_initializer
        )
        self._candidate_bias = self.add_variable("candidate/bias", [units], initializer=zeros)
        self.built = True

    def call(self, inputs: tf.Tensor, state: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """(batch, depth) and (batch, units) -> the new state, twice."""
        check_floating(inputs, state)
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
        reset, update = tf.split(tf.sigmoid(gates), num_or_size_splits=2, axis=1)
        candidate = tf.matmul(tf.concat([inputs, reset * state], 1), self._candidate_kernel)
        candidate = self._activation(tf.nn.bias_add(candidate, self._candidate_bias))
        new_state = update * state + (1 - update) * candidate
        return new_state, new_state
