"""Long short-term memory (`BasicLSTMCell`, `LSTMCell`) and its state."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

from tf2towers.runtime.layers.arguments import activation_function, initializer_function
from tf2towers.runtime.layers.base import InputSpec
from tf2towers.runtime.layers.types import Activation, Initializer
from tf2towers.runtime.rnn.cell import LayerRNNCell, check_floating, known_depth

v1 = tf.compat.v1


class LSTMStateTuple(NamedTuple):
    """`tf.nn.rnn_cell.LSTMStateTuple`: the memory `c` and the output `h`, (batch, units) each."""

    c: Any
    h: Any

    @property
    def dtype(self) -> tf.DType:
        """The type of both. Raises TypeError where they differ."""
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


class BasicLSTMCell(LayerRNNCell):
    """`tf.nn.rnn_cell.BasicLSTMCell`: variables `kernel` (depth + units, 4 * units) and `bias` (4 * units,)."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
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
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_function(activation) or tf.tanh

    @property
    def state_size(self) -> Any:
        """`LSTMStateTuple(num_units, num_units)`, or twice `num_units` where the state is one tensor."""
        return (
            LSTMStateTuple(self._num_units, self._num_units) if self._state_is_tuple else 2 * self._num_units
        )

    @property
    def output_size(self) -> int:
        """`num_units`."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """The columns of `kernel` are the input gate, the new input, the forget gate and the output gate."""
        units = self._num_units
        self._kernel = self.add_variable("kernel", shape=[known_depth(input_shape) + units, 4 * units])
        self._bias = self.add_variable("bias", shape=[4 * units], initializer=v1.zeros_initializer())
        self.built = True

    def call(self, inputs: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        """(batch, depth) and a state -> the output (batch, units) and the next state."""
        check_floating(inputs, state)
        c, h = state if self._state_is_tuple else tf.split(state, num_or_size_splits=2, axis=1)
        total = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = tf.split(total, num_or_size_splits=4, axis=1)
        forget_bias = tf.constant(self._forget_bias, dtype=f.dtype)
        new_c = tf.add(
            tf.multiply(c, tf.sigmoid(tf.add(f, forget_bias))),
            tf.multiply(tf.sigmoid(i), self._activation(j)),
        )
        new_h = tf.multiply(self._activation(new_c), tf.sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else tf.concat([new_c, new_h], 1)


class LSTMCell(LayerRNNCell):
    """`tf.nn.rnn_cell.LSTMCell`: with peepholes, clipping and a projection of the output where asked for.

    Variables `kernel`, `bias`, `w_f_diag`, `w_i_diag`, `w_o_diag`, `projection/kernel`.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Initializer = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
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
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer_function(initializer)
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_function(activation) or tf.tanh
        self._output_size = num_proj or num_units

    @property
    def state_size(self) -> Any:
        """(`num_units`, output size), or their sum where the state is one tensor."""
        if self._state_is_tuple:
            return LSTMStateTuple(self._num_units, self._output_size)
        return self._num_units + self._output_size

    @property
    def output_size(self) -> int:
        """`num_proj`, or else `num_units`."""
        return self._output_size

    def build(self, input_shape: Any) -> None:
        """The columns of `kernel` are the input gate, the new input, the forget gate and the output gate."""
        units = self._num_units
        self._kernel = self.add_variable(
            "kernel",
            shape=[known_depth(input_shape) + self._output_size, 4 * units],
            initializer=self._initializer,
            partitioner=_partitioner(self._num_unit_shards),
        )
        self._bias = self.add_variable("bias", shape=[4 * units], initializer=v1.zeros_initializer())
        if self._use_peepholes:
            self._w_f_diag = self.add_variable("w_f_diag", shape=[units], initializer=self._initializer)
            self._w_i_diag = self.add_variable("w_i_diag", shape=[units], initializer=self._initializer)
            self._w_o_diag = self.add_variable("w_o_diag", shape=[units], initializer=self._initializer)
        if self._num_proj is not None:
            self._proj_kernel = self.add_variable(
                "projection/kernel",
                shape=[units, self._num_proj],
                initializer=self._initializer,
                partitioner=_partitioner(self._num_proj_shards),
            )
        self.built = True

    def call(self, inputs: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        """(batch, depth) and a state -> the output (batch, output size) and the next state."""
        check_floating(inputs, state)
        sigmoid = tf.sigmoid
        if self._state_is_tuple:
            c_prev, m_prev = state
        else:
            c_prev = tf.slice(state, [0, 0], [-1, self._num_units])
            m_prev = tf.slice(state, [0, self._num_units], [-1, self._output_size])
        total = tf.nn.bias_add(tf.matmul(tf.concat([inputs, m_prev], 1), self._kernel), self._bias)
        i, j, f, o = tf.split(total, num_or_size_splits=4, axis=1)
        if self._use_peepholes:
            forget = sigmoid(f + self._forget_bias + self._w_f_diag * c_prev)
            c = forget * c_prev + sigmoid(i + self._w_i_diag * c_prev) * self._activation(j)
        else:
            c = sigmoid(f + self._forget_bias) * c_prev + sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = tf.clip_by_value(c, -self._cell_clip, self._cell_clip)
        m = sigmoid(o + self._w_o_diag * c if self._use_peepholes else o) * self._activation(c)
        if self._num_proj is not None:
            m = tf.matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = tf.clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else tf.concat([c, m], 1)


def _partitioner(shards: int | None) -> Any:
    return None if shards is None else v1.fixed_size_partitioner(shards)
