"""`tf.nn.rnn_cell`, as tf_keras has it, and what people used of `tf.contrib.rnn`.

Source of the latter: the papers that are named, TensorFlow 1.15's documentation, and its numbers
(tests/functions).
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
from tf_keras.src.legacy_tf_layers.base import Layer as _Layer

# isort: on

v1 = tf.compat.v1


class LSTMBlockCell(LSTMCell):
    """The LSTM (Hochreiter and Schmidhuber 1997) that TensorFlow computes in one kernel.

    A state is `LSTMStateTuple` of two [batch, num_units]. Variables are `kernel`, (depth +
    num_units, 4 * num_units), `bias`, (4 * num_units,), and with peepholes (Gers and Schmidhuber
    2000) `w_i_diag`, `w_f_diag` and `w_o_diag`, (num_units,) each. With a positive `cell_clip` the
    memory is clipped, and gradients pass it.
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
    """LSTM with normalized gates and memory (Ba, Kiros and Hinton 2016), recurrent dropout.

    Variables `kernel` (and `bias`, without the norms), and `gamma` and `beta` in each of `input`,
    `transform`, `forget`, `output` and `state`. Dropout (Semeniuta, Severyn and Barth 2016) is on
    the values that are written alone.
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
    """`core_rnn_cell._Linear`: maps inputs of (batch, depth), joined, to (batch, output_size).

    `kernel`, of (sum of depths, output_size), is made at once, and `bias`, by default zeros, with
    `build_bias`.

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


def linear(
    args: Any,
    output_size: int,
    bias: bool,
    bias_initializer: Any = None,
    kernel_initializer: Any = None,
    *,
    bias_start: float = 0.0,
    scope: Any = None,
) -> tf.Tensor:
    """The output of a `Linear` of these inputs; `bias_start` and `scope` are older releases'."""
    if isinstance(bias_initializer, int | float):  # the place of `bias_start`
        bias_start, bias_initializer = float(bias_initializer), None
    if bias_start:
        bias_initializer = v1.constant_initializer(bias_start)
    if scope is None:
        return Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)
    with v1.variable_scope(scope):
        return Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)


class OutputProjectionWrapper(_RNNCellWrapperV1):
    """A cell whose outputs `kernel`, `bias` and `activation` map to (batch, output_size)."""

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
    """Bidirectional layers, one over another: the last outputs, and the states each way.

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


class NASCell(LayerRNNCell):
    """The cell that a search found (Zoph and Le 2017): eight gates, joined in pairs.

    Variables are `recurrent_kernel`, (outputs, 8 * num_units), `kernel`, (depth, 8 * num_units),
    with `use_bias` `bias`, and with `num_proj` outputs `projection_weights`. A state is
    `LSTMStateTuple` of [batch, num_units] and the output.
    """

    state_size: Any = None
    output_size: Any = None

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_bias: bool = False,
        reuse: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias
        self.output_size = num_units if num_proj is None else num_proj
        self.state_size = LSTMStateTuple(num_units, self.output_size)
        self._bias: Any = None
        self._projection: Any = None

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        depth, wide = tf.TensorShape(inputs_shape)[-1], 8 * self._num_units
        self._recurrent = self.add_weight("recurrent_kernel", [self.output_size, wide])
        self._kernel = self.add_weight("kernel", [depth, wide])
        if self._use_bias:
            self._bias = self.add_weight("bias", [wide], initializer=v1.zeros_initializer())
        if self._num_proj is not None:
            self._projection = self.add_weight("projection_weights", [self._num_units, self._num_proj])
        self.built = True

    def call(self, inputs: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        """(batch, depth) and a state -> the output and the next state."""
        memory, before = state
        recurrent = tf.matmul(before, self._recurrent)
        if self._bias is not None:
            recurrent = tf.nn.bias_add(recurrent, self._bias)
        pairs = zip(tf.split(tf.matmul(inputs, self._kernel), 8, 1), tf.split(recurrent, 8, 1), strict=True)
        (x0, h0), (x1, h1), (x2, h2), (x3, h3), (x4, h4), (x5, h5), (x6, h6), (x7, h7) = pairs
        first = tf.tanh(tf.sigmoid(x0 + h0) * tf.nn.relu(x1 + h1))
        second = tf.tanh(tf.sigmoid(x2 + h2) + tf.nn.relu(x3 * h3))
        third = tf.tanh(tf.tanh(x4 + h4) * tf.sigmoid(x5 + h5))
        fourth = tf.sigmoid(tf.tanh(x6 + h6) + tf.sigmoid(x7 + h7))
        memory = tf.tanh(first + memory) * second
        output = tf.tanh(memory * tf.tanh(third + fourth))
        if self._projection is not None:
            output = tf.matmul(output, self._projection)
        return output, LSTMStateTuple(memory, output)


class GRUBlockCell(LayerRNNCell):
    """The gated recurrent unit (Cho et al. 2014) that TensorFlow 1 computed in one kernel.

    Variables are `w_ru`, (depth + num_units, 2 * num_units), and `b_ru` of the gates, `w_c` and
    `b_c` of the candidate.

    Raises:
        ValueError: both or none of `num_units` and its old name `cell_size` are given.
    """

    _names = ("w_ru", "b_ru", "w_c", "b_c")
    state_size: Any = None
    output_size: Any = None

    def __init__(
        self,
        num_units: int | None = None,
        cell_size: int | None = None,
        reuse: bool | None = None,
        name: str = "gru_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name)
        if (num_units is None) == (cell_size is None):
            raise ValueError("give one of num_units and cell_size")
        self.state_size = self.output_size = cell_size if num_units is None else num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        units, (of_gates, offsets, of_candidate, offset) = self.state_size, self._names
        depth = tf.TensorShape(inputs_shape)[-1] + units
        self._of_gates = self.add_weight(of_gates, [depth, 2 * units])
        self._offsets = self.add_weight(offsets, [2 * units], initializer=v1.ones_initializer())
        self._of_candidate = self.add_weight(of_candidate, [depth, units])
        self._offset = self.add_weight(offset, [units], initializer=v1.zeros_initializer())
        self.built = True

    def call(self, inputs: tf.Tensor, state: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """(batch, depth) and (batch, units) -> the output, which is the next state."""
        gates = tf.matmul(tf.concat([inputs, state], 1), self._of_gates)
        reset, update = tf.split(tf.sigmoid(tf.nn.bias_add(gates, self._offsets)), 2, 1)
        candidate = tf.matmul(tf.concat([inputs, state * reset], 1), self._of_candidate)
        output = update * state + (1 - update) * tf.tanh(tf.nn.bias_add(candidate, self._offset))
        return output, output


class GRUBlockCellV2(GRUBlockCell):
    """The same with variables `kernel` and `bias` in `gates` and in `candidate`."""

    _names = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")


class AttentionCellWrapper(RNNCell):
    """A cell that attends to its last `attn_length` outputs (Bahdanau et al. 2014).

    A state is the cell's, the attention [batch, attn_size], and the outputs in the window, side by
    side; with `state_is_tuple` False all of them side by side.
    """

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if tf.nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(f"a state that is a tuple needs state_is_tuple: {cell.state_size}")
        if attn_length <= 0:
            raise ValueError(f"attn_length has to be above 0, and is {attn_length}")
        self._cell, self._length, self._is_tuple = cell, attn_length, state_is_tuple
        self._size = attn_size or cell.output_size
        self._vector, self._input_size = attn_vec_size or self._size, input_size

    @property
    def state_size(self) -> Any:
        """The sizes of the state's parts, or of all together."""
        sizes = (self._cell.state_size, self._size, self._size * self._length)
        return sizes if self._is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """The size of the attention."""
        return self._size

    def call(self, inputs: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        """(batch, depth) and a state -> the output (batch, attn_size) and the next state."""
        if not self._is_tuple:
            state = tf.split(state, [self._cell.state_size, self._size, self._size * self._length], 1)
        inner, attention, window = state
        depth = self._input_size or inputs.shape.as_list()[1]
        output, inner = self._cell(linear([inputs, attention], depth, True), inner)
        window = tf.reshape(window, [-1, self._length, self._size])
        attention, rest = self._attend(tf.concat(tf.nest.flatten(inner), 1), window)
        with v1.variable_scope("attn_output_projection"):
            output = linear([output, attention], self._size, True)
        window = tf.reshape(tf.concat([rest, output[:, tf.newaxis]], 1), [-1, self._length * self._size])
        state = (inner, attention, window)
        return output, state if self._is_tuple else tf.concat(state, 1)

    def _attend(self, query: tf.Tensor, window: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The attention to a window (batch, length, size), and that without its oldest output."""
        with v1.variable_scope("attention"):
            weights = v1.get_variable("attn_w", [1, 1, self._size, self._vector])
            vector = v1.get_variable("attn_v", [self._vector])
            features = tf.nn.conv2d(window[:, :, tf.newaxis], weights, 1, "SAME")
            asked = linear(query, self._vector, True)[:, tf.newaxis, tf.newaxis]
            parts = tf.nn.softmax(tf.reduce_sum(vector * tf.tanh(features + asked), [2, 3]))
            attention = tf.reduce_sum(parts[:, :, tf.newaxis, tf.newaxis] * window[:, :, tf.newaxis], [1, 2])
            return tf.reshape(attention, [-1, self._size]), window[:, 1:]


class LSTMBlockFusedCell(_Layer):
    """All steps of an `LSTMBlockCell` in one kernel, of [time, batch, depth], or a list.

    Variables as there. A call with `sequence_length` puts zeros after it, and gives the state at
    it.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: bool | None = None,
        dtype: Any = None,
        name: str = "lstm_fused_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self.num_units, self._forget_bias = num_units, forget_bias
        self._options = {"cell_clip": -1.0 if cell_clip is None else cell_clip, "use_peephole": use_peephole}

    def build(self, input_shape: Any) -> None:
        """Makes the variables."""
        depth = tf.TensorShape(input_shape)[-1]
        self._kernel = self.add_weight("kernel", [depth + self.num_units, 4 * self.num_units])
        self._bias = self.add_weight("bias", [4 * self.num_units], initializer=v1.zeros_initializer())
        peephole = self._options["use_peephole"]
        self._peepholes = [self.add_weight(f"w_{gate}_diag", [self.num_units]) for gate in "ifo" if peephole]
        self.built = True

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs, [time, batch, units] or a list, and the last `LSTMStateTuple`."""
        outputs, state = super().__call__(
            tf.stack(inputs) if isinstance(inputs, list) else inputs, *args, **kwargs
        )
        return tf.unstack(outputs) if isinstance(inputs, list) else outputs, state

    def call(
        self, inputs: tf.Tensor, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None
    ) -> tuple[tf.Tensor, Any]:
        """As `__call__`, for inputs [time, batch, depth]."""
        if initial_state is None:
            if dtype is None:
                raise ValueError("either initial_state or dtype has to be given")
            initial_state = [tf.zeros([tf.shape(inputs)[1], self.num_units], dtype)] * 2
        memory, output = initial_state
        steps = tf.shape(inputs)[0] if sequence_length is None else tf.reduce_max(sequence_length)
        write, keep, show = self._peepholes or [tf.zeros([self.num_units], inputs.dtype)] * 3
        done = tf.raw_ops.BlockLSTM(
            seq_len_max=tf.cast(steps, tf.int64),
            x=inputs,
            cs_prev=memory,
            h_prev=output,
            w=self._kernel,
            wci=write,
            wcf=keep,
            wco=show,
            b=self._bias,
            forget_bias=self._forget_bias,
            **self._options,
        )
        if sequence_length is None:
            return done.h, LSTMStateTuple(done.cs[-1], done.h[-1])
        lengths = tf.cast(sequence_length, tf.int32)
        mask = tf.sequence_mask(lengths, tf.shape(inputs)[0], inputs.dtype)
        outputs = done.h * tf.transpose(mask)[:, :, tf.newaxis]
        ends = tf.stack([lengths, tf.range(tf.shape(inputs)[1])], 1)
        of_steps = ((memory, done.cs), (output, outputs))
        last = (tf.gather_nd(tf.concat([start[tf.newaxis], all_], 0), ends) for start, all_ in of_steps)
        return outputs, LSTMStateTuple(*last)


class TimeReversedFusedRNN:
    """A fused cell that goes over its inputs from the end; outputs are in their order."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> tuple[Any, Any]:
        """The outputs and the last state, as of the cell."""

        def turned(values: Any) -> Any:
            if sequence_length is None:
                return tf.reverse(values, [0])
            return v1.reverse_sequence(values, sequence_length, 0, 1)

        # the cell of TF 1 takes all by place, and the scope by name
        options = {"initial_state": initial_state, "dtype": dtype, "sequence_length": sequence_length}
        outputs, state = self._cell(
            tf.nest.map_structure(turned, inputs), **options, **({} if scope is None else {"scope": scope})
        )
        return tf.nest.map_structure(turned, outputs), state


class UGRNNCell(RNNCell):
    """The update gate cell (Collins et al. 2017): one gate between the last state and a new one.

    Variables are `kernel`, (depth + num_units, 2 * num_units), by `initializer`, and `bias`, in the
    cell's scope.
    """

    state_size: Any = None
    output_size: Any = None

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        forget_bias: float = 1.0,
        activation: Callable[[Any], Any] = tf.tanh,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self.state_size = self.output_size = num_units
        self._initializer, self._forget_bias, self._activation = initializer, forget_bias, activation
        self._linear: Any = None

    def call(self, inputs: tf.Tensor, state: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """(batch, depth) and a state, (batch, num_units) -> the next state, twice."""
        with v1.variable_scope(v1.get_variable_scope(), initializer=self._initializer):
            if self._linear is None:
                self._linear = Linear([inputs, state], 2 * self.output_size, True)
            gate, new = tf.split(self._linear([inputs, state]), 2, axis=1)
        keep = tf.sigmoid(gate + self._forget_bias)
        state = keep * state + (1 - keep) * self._activation(new)
        return state, state


class HighwayWrapper(RNNCell):
    """A cell past which a gate carries its inputs, of its outputs' size (Srivastava 2015).

    Variables are `carry_w`, `carry_b`, and `transform_w`, `transform_b` unless the gates are
    coupled.
    """

    def __init__(
        self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0
    ) -> None:
        super().__init__()
        self._cell, self._coupled, self._bias = cell, couple_carry_transform_gates, carry_bias_init

    @property
    def state_size(self) -> Any:
        """The cell's."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """The cell's."""
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The cell's."""
        return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """What is carried, and what the cell makes of the rest; the cell's next state."""
        outputs, state = self._cell(inputs, state, scope=scope)
        return tf.nest.map_structure(self._mixed, inputs, outputs), state

    def _mixed(self, inputs: tf.Tensor, outputs: tf.Tensor) -> tf.Tensor:
        carry = _gate("carry", inputs, self._bias)
        return inputs * carry + outputs * (
            1 - carry if self._coupled else _gate("transform", inputs, -self._bias)
        )


def _gate(name: str, inputs: tf.Tensor, bias: float) -> tf.Tensor:
    size = inputs.shape.as_list()[1]
    weights = v1.get_variable(f"{name}_w", [size, size])
    biases = v1.get_variable(f"{name}_b", [size], initializer=v1.constant_initializer(bias))
    return tf.sigmoid(v1.nn.xw_plus_b(inputs, weights, biases))


class ConvLSTMCell(RNNCell):
    """LSTM whose gates are convolutions (Shi et al. 2015), over one to three dimensions.

    Variables are `kernel`, (*kernel_shape, depth + output_channels, 4 * output_channels), and
    `biases`.

    Args:
        conv_ndims: how many dimensions.
        input_shape: of one row, with the channels.
        output_channels, kernel_shape, use_bias: of the convolution.
        skip_connection: whether the inputs' channels come after the outputs'.
        forget_bias: added to the forget gate.
        initializers: nothing, as in TensorFlow 1.
        name: of the layer.
    """

    state_size: Any = None
    output_size: Any = None

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Any,
        output_channels: int,
        kernel_shape: Sequence[int],
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"a cell of {conv_ndims} dimensions is not for rows of shape {input_shape}")
        self._channels, self._kernel_shape, self._use_bias = output_channels, [*kernel_shape], use_bias
        self._skip, self._forget_bias = skip_connection, forget_bias
        size = tf.TensorShape([*input_shape[:-1], output_channels])
        skipped = input_shape[-1] if skip_connection else 0
        self.state_size = LSTMStateTuple(size, size)
        self.output_size = tf.TensorShape([*input_shape[:-1], output_channels + skipped])

    def call(self, inputs: tf.Tensor, state: Any) -> tuple[tf.Tensor, Any]:
        """(batch, ..., channels), a state -> (batch, ..., output_channels) and the next state."""
        memory, hidden = state
        joined = tf.concat([inputs, hidden], -1)
        shape = [*self._kernel_shape, joined.shape.as_list()[-1], 4 * self._channels]
        gates = tf.nn.convolution(joined, v1.get_variable("kernel", shape, inputs.dtype), padding="SAME")
        if self._use_bias:
            gates += v1.get_variable("biases", shape[-1:], inputs.dtype, v1.zeros_initializer())
        write, new, keep, show = tf.split(gates, 4, axis=-1)
        memory = tf.sigmoid(keep + self._forget_bias) * memory + tf.sigmoid(write) * tf.tanh(new)
        output = tf.tanh(memory) * tf.sigmoid(show)
        if self._skip:
            output = tf.concat([output, inputs], -1)
        return output, LSTMStateTuple(memory, output)


class Conv1DLSTMCell(ConvLSTMCell):
    """Over one dimension."""

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """Over two dimensions."""

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """Over three dimensions."""

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)
