"""`tf.nn.rnn_cell`, as tf_keras has it, and of `tf.contrib.rnn` what people used and no library has.

Source of the latter: the papers that are named, TensorFlow 1.15's documentation, and its numbers (tests/functions).
"""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

# the look at tf_keras comes before tf_keras
# isort: off
from tf2towers.runtime.tf1 import keras as _keras  # noqa: F401

from tf_keras.api._v1.keras.__internal__.legacy.rnn_cell import *  # noqa: F403 - a face, not a copy
from tf_keras.api._v1.keras.__internal__.legacy.rnn_cell import LSTMCell, LSTMStateTuple, RNNCell
from tf_keras.src.layers.rnn.legacy_cell_wrappers import _RNNCellWrapperV1
from tf_keras.src.layers.rnn.legacy_cells import LayerRNNCell as LayerRNNCell

# isort: on

v1 = tf.compat.v1


class LSTMBlockCell(LSTMCell):
    """The long short-term memory (Hochreiter and Schmidhuber 1997) that TensorFlow computes in one kernel.

    A state is `LSTMStateTuple` of two [batch, num_units]. Variables are `kernel`, (depth + num_units, 4 * num_units),
    `bias`, (4 * num_units,), and with peepholes (Gers and Schmidhuber 2000) `w_i_diag`, `w_f_diag` and `w_o_diag`,
    (num_units,) each. With a positive `cell_clip` the memory is clipped, and gradients pass it.
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
        self._options = {"cell_clip": -1.0 if cell_clip is None else cell_clip, "use_peephole": use_peephole}
        self._peepholes: list[Any] = []

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables, the peepholes in the order of the gates."""
        super().build(inputs_shape)
        if self._options["use_peephole"]:
            self.built = False  # or its variables were to be there already
            self._peepholes = [self.add_weight(f"w_{gate}_diag", [self._num_units]) for gate in "ifo"]
            self.built = True

    def call(self, inputs: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        """(batch, depth) and a state -> the output (batch, units) and the next state."""
        write, keep, show = self._peepholes or [tf.zeros([self._num_units], inputs.dtype)] * 3
        weights = {"w": self._kernel, "b": self._bias, "wci": write, "wcf": keep, "wco": show}
        before = {"x": inputs[tf.newaxis], "cs_prev": state[0], "h_prev": state[1], "seq_len_max": 1}
        steps = tf.raw_ops.BlockLSTM(**before, **weights, forget_bias=self._forget_bias, **self._options)
        return steps.h[0], LSTMStateTuple(steps.cs[0], steps.h[0])


class LayerNormBasicLSTMCell(RNNCell):
    """Long short-term memory with normalized gates and memory (Ba, Kiros and Hinton 2016), and recurrent dropout.

    Variables `kernel` (and `bias`, without the norms), and `gamma` and `beta` in each of `input`, `transform`,
    `forget`, `output` and `state`. Dropout (Semeniuta, Severyn and Barth 2016) is on the values that are written alone.
    """

    state_size: Any = None
    output_size: Any = None

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
        self.state_size, self.output_size = LSTMStateTuple(num_units, num_units), num_units
        self._activation, self._forget_bias = activation, forget_bias
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed
        self._layer_norm, self._start = layer_norm, {"gamma": norm_gain, "beta": norm_shift}

    def call(self, inputs: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        """(batch, depth) and a state -> the output (batch, units) and the next state."""
        memory, output = state
        gates = linear([inputs, output], 4 * self.output_size, False)
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
            least = 1e-3 if values.dtype == tf.float16 else 1e-12
            return tf.nn.batch_normalization(values, mean, variance, beta, gamma, least)


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


def linear(args: Any, output_size: int, build_bias: bool) -> tf.Tensor:
    """The output of a `Linear` made of these inputs."""
    return Linear(args, output_size, build_bias)(args)


class OutputProjectionWrapper(_RNNCellWrapperV1):
    """A cell whose outputs are mapped to (batch, output_size): by variables `kernel` and `bias`, and `activation`."""

    output_size: Any = None

    def __init__(
        self, cell: Any, output_size: int, activation: Any = None, reuse: bool | None = None
    ) -> None:
        super().__init__(cell, _reuse=reuse)
        self.output_size, self._activation = output_size, activation or tf.identity

    __call__ = RNNCell.__call__  # in a scope of its own, where a wrapper of tf_keras is in its cell's

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The cell's step, its output mapped."""
        output, state = self.cell(inputs, state)
        return self._activation(linear(output, self.output_size, True)), state


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

    A ValueError where there are no cells, or other numbers of cells and states.
    """
    if not cells_fw:
        raise ValueError("stack_bidirectional_dynamic_rnn needs cells")
    none, ends = [None] * len(cells_fw), []
    layers = zip(cells_fw, cells_bw, initial_states_fw or none, initial_states_bw or none, strict=True)
    options = (dtype, parallel_iterations, swap_memory, time_major)
    with v1.variable_scope(scope or "stack_bidirectional_rnn"):
        for number, (forward, backward, *starts) in enumerate(layers):
            with v1.variable_scope(f"cell_{number}"):
                layer = (forward, backward, inputs, sequence_length, *starts, *options)
                outputs, states = v1.nn.bidirectional_dynamic_rnn(*layer)
            inputs = tf.concat(outputs, 2)
            ends.append(states)
    return inputs, *zip(*ends, strict=True)
