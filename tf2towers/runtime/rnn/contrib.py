"""Two cells of `tf.contrib.rnn`: `LSTMBlockCell`, one kernel for the whole step, and `LayerNormBasicLSTMCell`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.private import get_variable
from tf2towers.runtime.layers.base import InputSpec
from tf2towers.runtime.rnn.cell import LayerRNNCell, RNNCell, known_depth
from tf2towers.runtime.rnn.lstm import LSTMStateTuple
from tf2towers.runtime.slim.normalization import layer_norm

v1 = tf.compat.v1


class LSTMBlockCell(LayerRNNCell):
    """`tf.contrib.rnn.LSTMBlockCell`: the variables of `LSTMCell`, and its numbers up to rounding."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: Any = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = -1 if cell_clip is None else cell_clip
        self._use_peephole = use_peephole

    @property
    def state_size(self) -> LSTMStateTuple:
        """`LSTMStateTuple(num_units, num_units)`."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """`num_units`."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """`kernel`: (depth + units, 4 * units); `bias`: (4 * units,); the peepholes (units,) each."""
        units = self._num_units
        self._kernel = self.add_variable("kernel", [known_depth(input_shape) + units, units * 4])
        self._bias = self.add_variable("bias", [units * 4], initializer=v1.constant_initializer(0.0))
        if self._use_peephole:
            self._w_i_diag = self.add_variable("w_i_diag", [units])
            self._w_f_diag = self.add_variable("w_f_diag", [units])
            self._w_o_diag = self.add_variable("w_o_diag", [units])
        self.built = True

    def call(self, inputs: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        """(batch, depth) and a state -> the output (batch, units) and the next state."""
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        if self._use_peephole:
            peepholes = [self._w_i_diag, self._w_f_diag, self._w_o_diag]
        else:
            peepholes = [tf.zeros([self._num_units], dtype=self.dtype)] * 3
        weights = [tf.convert_to_tensor(weight) for weight in (self._kernel, *peepholes, self._bias)]
        step = _block_step(float(self._forget_bias), float(self._cell_clip), self._use_peephole)
        memory, output = step(inputs, *state, *weights)
        return output, LSTMStateTuple(memory, output)


def _block_step(forget_bias: float, cell_clip: float, use_peephole: bool) -> Callable[..., Any]:
    """The kernel with the gradient TF1 had for it, which TF 2 no longer registers."""

    def step(x: Any, c: Any, h: Any, w: Any, wci: Any, wcf: Any, wco: Any, b: Any) -> Any:
        operands = {"x": x, "cs_prev": c, "h_prev": h, "w": w, "wci": wci, "wcf": wcf, "wco": wco, "b": b}
        made = tf.raw_ops.LSTMBlockCell(
            **operands, forget_bias=forget_bias, cell_clip=cell_clip, use_peephole=use_peephole
        )

        def gradient(memory_gradient: tf.Tensor, output_gradient: tf.Tensor) -> tuple[tf.Tensor, ...]:
            c_gradient, gates, *peepholes = tf.raw_ops.LSTMBlockCellGrad(
                **operands,
                **{gate: getattr(made, gate) for gate in ("i", "cs", "f", "o", "ci", "co")},
                cs_grad=memory_gradient,
                h_grad=output_gradient,
                use_peephole=use_peephole,
            )
            xh = tf.matmul(gates, w, transpose_b=True)
            x_gradient, h_gradient = tf.split(xh, [x.shape.as_list()[1], h.shape.as_list()[1]], axis=1)
            w_gradient = tf.matmul(tf.concat([x, h], 1), gates, transpose_a=True)
            b_gradient = tf.raw_ops.BiasAddGrad(out_backprop=gates)
            return x_gradient, c_gradient, h_gradient, w_gradient, *peepholes, b_gradient

        return (made.cs, made.h), gradient

    made_differentiable: Callable[..., Any] = tf.custom_gradient(step)
    return made_differentiable


class LayerNormBasicLSTMCell(RNNCell):
    """`tf.contrib.rnn.LayerNormBasicLSTMCell`: normalized gates and memory, dropout on the new input.

    Variables `kernel`, and `gamma` and `beta` in each of `input`, `transform`, `forget`, `output`, `state`.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Callable[[tf.Tensor], tf.Tensor] = tf.tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        del input_size
        self._num_units = num_units
        self._activation = activation
        self._forget_bias = forget_bias
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    @property
    def state_size(self) -> LSTMStateTuple:
        """`LSTMStateTuple(num_units, num_units)`."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """`num_units`."""
        return self._num_units

    def call(self, inputs: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        """(batch, depth) and a state -> the output (batch, units) and the next state."""
        c, h = state
        i, j, f, o = tf.split(self._linear(tf.concat([inputs, h], 1)), num_or_size_splits=4, axis=1)
        i, j = self._norm(i, "input"), self._norm(j, "transform")
        f, o = self._norm(f, "forget"), self._norm(o, "output")
        g = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            g = v1.nn.dropout(g, rate=1.0 - self._keep_prob, seed=self._seed)
        new_c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * g
        new_c = self._norm(new_c, "state")
        new_h = self._activation(new_c) * tf.sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)

    def _norm(self, values: tf.Tensor, scope: str) -> tf.Tensor:
        if not self._layer_norm:
            return values
        gain, shift = v1.constant_initializer(self._norm_gain), v1.constant_initializer(self._norm_shift)
        with v1.variable_scope(scope):
            get_variable("gamma", shape=values.shape[-1:], initializer=gain, dtype=values.dtype)
            get_variable("beta", shape=values.shape[-1:], initializer=shift, dtype=values.dtype)
        return layer_norm(values, reuse=True, scope=scope)

    def _linear(self, values: tf.Tensor) -> tf.Tensor:
        columns = 4 * self._num_units
        weights = get_variable("kernel", [values.shape.as_list()[-1], columns], dtype=values.dtype)
        outputs = tf.matmul(values, weights)
        if self._layer_norm:
            return outputs
        return tf.nn.bias_add(outputs, get_variable("bias", [columns], dtype=values.dtype))
