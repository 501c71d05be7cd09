"""`tf.nn.rnn_cell`, as tf_keras has it, and of `tf.contrib.rnn` what people used and no library has.

Source of the latter: the papers that are named, TensorFlow 1.15's documentation, and its numbers (tests/functions).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import tensorflow as tf

# the look at tf_keras comes before tf_keras
# isort: off
from tf2towers.runtime.tf1 import keras as _keras  # noqa: F401

from tf_keras.api._v1.keras.__internal__.legacy.rnn_cell import *  # noqa: F403 - a face, not a copy
from tf_keras.api._v1.keras.__internal__.legacy.rnn_cell import LSTMCell, LSTMStateTuple, RNNCell
from tf_keras.src.layers.rnn.legacy_cells import LayerRNNCell as LayerRNNCell

# isort: on

v1 = tf.compat.v1


class LSTMBlockCell(LSTMCell):
    """The long short-term memory (Hochreiter and Schmidhuber 1997) that TensorFlow 1 computed in one kernel.

    It is `LSTMCell` but for two things: the peepholes (Gers and Schmidhuber 2000) are made in the order of the gates,
    `w_i_diag`, `w_f_diag` and `w_o_diag`; gradients pass a memory that is clipped.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: bool | None = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(num_units, forget_bias=forget_bias, dtype=dtype, reuse=reuse, name=name)
        self._clip = cell_clip or 0
        self._has_peepholes = use_peephole

    def build(self, inputs_shape: Any) -> None:
        """`kernel`: (depth + units, 4 * units); `bias`: (4 * units,); the peepholes (units,) each."""
        super().build(inputs_shape)
        if self._has_peepholes:
            self.built = False  # or its variables were to be there already
            self._peepholes = [self.add_weight(f"w_{gate}_diag", [self._num_units]) for gate in "ifo"]
            self.built = True

    def call(self, inputs: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        """(batch, depth) and a state -> the output (batch, units) and the next state."""
        memory, output = state
        gates = tf.matmul(tf.concat([inputs, output], 1), self._kernel)
        write, new, keep, show = tf.split(tf.nn.bias_add(gates, self._bias), num_or_size_splits=4, axis=1)
        if self._has_peepholes:
            write += self._peepholes[0] * memory
            keep += self._peepholes[1] * memory
        memory = memory * tf.sigmoid(keep + self._forget_bias) + tf.sigmoid(write) * tf.tanh(new)
        if self._clip > 0:
            clip = partial(tf.clip_by_value, clip_value_min=-self._clip, clip_value_max=self._clip)
            memory = tf.grad_pass_through(clip)(memory)
        if self._has_peepholes:
            show += self._peepholes[2] * memory
        output = tf.tanh(memory) * tf.sigmoid(show)
        return output, LSTMStateTuple(memory, output)


class LayerNormBasicLSTMCell(RNNCell):
    """Long short-term memory with normalized gates and memory (Ba, Kiros and Hinton 2016), and recurrent dropout.

    Variables `kernel` (and `bias`, without the norms), and `gamma` and `beta` in each of `input`, `transform`,
    `forget`, `output` and `state`. Dropout (Semeniuta, Severyn and Barth 2016) is on the values that are written alone.
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
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        del input_size  # of no effect since TensorFlow 1.0
        self._num_units, self._activation, self._forget_bias = num_units, activation, forget_bias
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed
        self._layer_norm, self._start = layer_norm, {"gamma": norm_gain, "beta": norm_shift}

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
        memory, output = state
        gates = linear([inputs, output], 4 * self._num_units, False)
        if not self._layer_norm:  # its bias begins as the scope says, which is not as zeros
            gates = tf.nn.bias_add(gates, v1.get_variable("bias", gates.shape[1:], gates.dtype))
        scopes = ("input", "transform", "forget", "output")
        parts = zip(tf.split(gates, num_or_size_splits=4, axis=1), scopes, strict=True)
        write, new, keep, show = (self._norm(part, scope) for part, scope in parts)
        new = self._activation(new)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            new = v1.nn.dropout(new, rate=1.0 - self._keep_prob, seed=self._seed)
        memory = memory * tf.sigmoid(keep + self._forget_bias) + tf.sigmoid(write) * new
        memory = self._norm(memory, "state")
        output = self._activation(memory) * tf.sigmoid(show)
        return output, LSTMStateTuple(memory, output)

    def _norm(self, values: tf.Tensor, scope: str) -> tf.Tensor:
        """The values less their mean, by their deviation, scaled and moved: (batch, units)."""
        if not self._layer_norm:
            return values
        with v1.variable_scope(scope):
            gamma, beta = (
                v1.get_variable(name, values.shape[-1:], values.dtype, v1.constant_initializer(value))
                for name, value in self._start.items()
            )
            mean, variance = tf.nn.moments(values, [1], keepdims=True)
            return tf.nn.batch_normalization(values, mean, variance, beta, gamma, 1e-12)


class Linear:
    """`core_rnn_cell._Linear`: maps inputs of (batch, depth) each, side by side, to (batch, output_size).

    `kernel`, of (sum of depths, output_size), is made at once, and `bias`, by default zeros, with `build_bias`.

    Raises:
        ValueError: there are no inputs, or one of them is not a matrix of known depth.
    """

    def __init__(
        self,
        args: Any,
        output_size: int,
        build_bias: bool,
        bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:
        inputs = tf.nest.flatten(args)
        known = [each is not None and each.shape.rank == 2 and each.shape.as_list()[1] for each in inputs]
        if not known or not all(known):
            raise ValueError(f"linear needs inputs that are matrices of known depth, and has {inputs}")
        dtype, start = inputs[0].dtype, bias_initializer or v1.zeros_initializer()
        self._kernel = v1.get_variable("kernel", [sum(known), output_size], dtype, kernel_initializer)
        self._bias = v1.get_variable("bias", [output_size], dtype, start) if build_bias else None

    def __call__(self, args: Any) -> tf.Tensor:
        """The output for such inputs: (batch, output_size)."""
        inputs = tf.nest.flatten(args)
        product = tf.matmul(inputs[0] if len(inputs) == 1 else tf.concat(inputs, 1), self._kernel)
        return product if self._bias is None else tf.nn.bias_add(product, self._bias)


def linear(args: Any, *options: Any, **named: Any) -> tf.Tensor:
    """`core_rnn_cell._linear`: the output of a `Linear` made of these inputs; its bias is the argument `bias`."""
    if "bias" in named:
        named["build_bias"] = named.pop("bias")
    return Linear(args, *options, **named)(args)


class OutputProjectionWrapper(RNNCell):
    """A cell whose outputs are mapped to (batch, output_size): by variables `kernel` and `bias`, and `activation`."""

    def __init__(
        self, cell: Any, output_size: int, activation: Any = None, reuse: bool | None = None
    ) -> None:
        super().__init__(_reuse=reuse)
        self._cell, self._size, self._activation = cell, output_size, activation or tf.identity

    @property
    def state_size(self) -> Any:
        """The cell's."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """`output_size`."""
        return self._size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The cell's."""
        with v1.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)

    def _project(self, values: Any) -> Any:
        return self._activation(linear(values, self._size, True))

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The cell's step, its output mapped."""
        output, state = self._cell(inputs, state)
        return self._project(output), state


def stack_bidirectional_dynamic_rnn(
    cells_fw: Sequence[Any],
    cells_bw: Sequence[Any],
    inputs: Any,
    initial_states_fw: Sequence[Any] | None = None,
    initial_states_bw: Sequence[Any] | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[tf.Tensor, tuple[Any, ...], tuple[Any, ...]]:
    """Bidirectional layers, each over both outputs of the one before: the last outputs, and the states each way.

    Raises:
        ValueError: no cells, or numbers of cells and states that differ.
    """
    if not cells_fw:
        raise ValueError("stack_bidirectional_dynamic_rnn needs cells")
    none, ends = [None] * len(cells_fw), []
    layers = zip(cells_fw, cells_bw, initial_states_fw or none, initial_states_bw or none, strict=True)
    options = (dtype, parallel_iterations, swap_memory, time_major)
    with v1.variable_scope(scope or "stack_bidirectional_rnn"):
        for number, (forward, backward, *starts) in enumerate(layers):
            with v1.variable_scope(f"cell_{number}"):
                layer = (forward, backward, inputs, sequence_length, *starts)
                outputs, states = v1.nn.bidirectional_dynamic_rnn(*layer, *options)
            inputs = tf.concat(outputs, 2)
            ends.append(states)
    return inputs, *zip(*ends, strict=True)
