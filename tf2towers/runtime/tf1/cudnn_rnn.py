"""`tf.contrib.cudnn_rnn.CudnnLSTM`, as the plain cells that cuDNN's documentation says it is.

TensorFlow 1 ran it in NVIDIA's library, on a GPU alone. tests/runtime/tf1/test_cudnn_lstm.py holds
it to the formula.
"""

from typing import Any

import tensorflow as tf

from tf2towers.runtime.tf1.layers import Layer  # type: ignore[attr-defined]
from tf2towers.runtime.tf1.rnn_cell import (  # type: ignore[attr-defined]
    GRUCell,
    LSTMBlockCell,
    LSTMCell,
    LSTMStateTuple,
)

v1 = tf.compat.v1


CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION = "unidirectional", "bidirectional"
CUDNN_LSTM, CUDNN_GRU, CUDNN_RNN_RELU, CUDNN_RNN_TANH = "lstm", "gru", "rnn_relu", "rnn_tanh"
CUDNN_LSTM_PARAMS_PER_LAYER, CUDNN_GRU_PARAMS_PER_LAYER = 8, 6
CUDNN_RNN_TANH_PARAMS_PER_LAYER = CUDNN_RNN_RELU_PARAMS_PER_LAYER = 2
CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_SKIP_MODE = "linear_input", "skip_input"
CUDNN_INPUT_AUTO_MODE = "auto_select"


class CudnnLSTM(Layer):
    """Layers of LSTM (Hochreiter and Schmidhuber 1997) over sequences [time, batch, size].

    One variable, `opaque_kernel`, holds all weights, as in TensorFlow 1: for each direction of each
    layer a matrix (depth + units, 4 * units) and two biases (4 * units,), both of which are
    trained.

    Args:
        num_layers, num_units, direction: how many layers, the units of each, "unidirectional" or
            "bidirectional".
        input_mode: "linear_input", or a NotImplementedError is raised.
        dropout, seed: the share of a layer's outputs that the next one does not get in training.
        kernel_initializer: makes the weights of a gate, (units, depth) and (units, units); by
            default Glorot's.
        bias_initializer: makes a bias of a gate, (units,); by default zeros.
        dtype, name: of the layer.
    """

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = "linear_input",
        direction: str = "unidirectional",
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = tf.float32,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(dtype=dtype, name=name)
        if input_mode != "linear_input":
            raise NotImplementedError(f"tf2towers: CudnnLSTM(input_mode={input_mode!r})")
        self.num_layers, self.num_units = num_layers, num_units
        self.num_dirs = ("unidirectional", "bidirectional").index(direction) + 1
        self._dropout, self._seed = dropout, seed
        self._new_matrix = kernel_initializer or v1.glorot_uniform_initializer(seed)
        self._new_bias = bias_initializer or v1.zeros_initializer()

    def build(self, input_shape: Any) -> None:
        """Makes `opaque_kernel`; the inputs' depth has to be known."""
        units, depth = self.num_units, tf.TensorShape(input_shape).as_list()[2]
        depths = [depth, *[units * self.num_dirs] * (self.num_layers - 1)]
        self._depths = [each for each in depths for _ in range(self.num_dirs)]

        def weights(shape: Any, dtype: Any, partition_info: Any = None) -> Any:
            parts: list[Any] = []
            for depth in self._depths:
                for rows in (depth, units):
                    gates = [tf.transpose(self._new_matrix([units, rows], dtype)) for _ in range(4)]
                    parts.append(tf.concat(gates, 1))
                parts += [self._new_bias([units], dtype) for _ in range(8)]
            return tf.concat([tf.reshape(part, [-1]) for part in parts], 0)

        self._sizes = [4 * units * (each + units + 2) for each in self._depths]
        self.kernel = self.add_weight("opaque_kernel", [sum(self._sizes)], initializer=weights)
        self.built = True

    def _cell(self, weights: Any) -> LSTMCell:
        """Makes the cell of one direction of one layer from its weights."""
        cell = LSTMCell(self.num_units, forget_bias=0.0, dtype=self.dtype)
        rows = tf.reshape(weights, [-1, 4 * self.num_units])
        cell._kernel, cell._bias, cell.built = rows[:-2], rows[-2] + rows[-1], True
        return cell

    def call(
        self,
        inputs: Any,
        initial_state: Any = None,
        sequence_lengths: Any = None,
        time_major: bool = True,
        training: bool = True,
    ) -> tuple[Any, tuple[Any, Any]]:
        """Outputs [time, batch, directions * units]; the last output and memory of each layer.

        The last two are the next call's `initial_state`. After `sequence_lengths`, int32 [batch],
        outputs are zeros. There is dropout with `training`. Without `time_major` the first two axes
        of all of these are the other way.
        """
        if not time_major:
            states = initial_state and [tf.transpose(each, [1, 0, 2]) for each in initial_state]
            made, ends = self.call(tf.transpose(inputs, [1, 0, 2]), states, sequence_lengths, True, training)
            return tf.transpose(made, [1, 0, 2]), tuple(tf.transpose(each, [1, 0, 2]) for each in ends)
        cells = [self._cell(each) for each in tf.split(self.kernel, self._sizes)]
        if initial_state is None:
            initial_state = [tf.zeros([len(cells), tf.shape(inputs)[1], self.num_units], self.dtype)] * 2
        outputs, memories = (tf.unstack(each, len(cells)) for each in initial_state)
        starts, states = list(map(LSTMStateTuple, memories, outputs)), list[Any]()
        runs = v1.nn.dynamic_rnn if self.num_dirs == 1 else v1.nn.bidirectional_dynamic_rnn
        for place in range(0, len(cells), self.num_dirs):
            of_layer = slice(place, place + self.num_dirs)
            if place and training and self._dropout:
                inputs = v1.nn.dropout(inputs, rate=self._dropout, seed=self._seed)
            found, ends = runs(*cells[of_layer], inputs, sequence_lengths, *starts[of_layer], time_major=True)
            inputs = found if self.num_dirs == 1 else tf.concat(found, 2)
            states += [ends] if self.num_dirs == 1 else ends
        return inputs, (tf.stack([end.h for end in states]), tf.stack([end.c for end in states]))


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """One step of cuDNN's long short-term memory, whose forget gate has no bias of its own."""

    def __init__(self, num_units: int, reuse: bool | None = None) -> None:
        super().__init__(num_units, forget_bias=0, reuse=reuse, name="cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(GRUCell):
    """One step of cuDNN's GRU: the reset gate comes after the product with the state.

    Variables are `gates/kernel`, `gates/bias`, and a kernel and a bias in
    `candidate/input_projection` and `candidate/hidden_projection`.
    """

    def __init__(self, num_units: int, reuse: bool | None = None, kernel_initializer: Any = None) -> None:
        super().__init__(num_units, reuse=reuse, kernel_initializer=kernel_initializer)

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables."""
        depth, units = tf.TensorShape(inputs_shape).as_list()[1], self._num_units

        def matrix(name: str, rows: int, columns: int) -> Any:
            return self.add_weight(f"{name}/kernel", [rows, columns], initializer=self._kernel_initializer)

        def bias(name: str, size: int, start: float) -> Any:
            return self.add_weight(f"{name}/bias", [size], initializer=v1.constant_initializer(start))

        self._gates = matrix("gates", depth + units, 2 * units), bias("gates", 2 * units, 1.0)
        parts = {"candidate/input_projection": depth, "candidate/hidden_projection": units}
        kernels = [matrix(name, rows, units) for name, rows in parts.items()]
        self._of_inputs, self._of_state = zip(
            kernels, [bias(name, units, 0.0) for name in parts], strict=True
        )
        self.built = True

    def call(self, inputs: tf.Tensor, state: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """(batch, depth) and a state, (batch, num_units) -> the next state, twice."""
        gates = tf.sigmoid(v1.nn.xw_plus_b(tf.concat([inputs, state], 1), *self._gates))
        reset, update = tf.split(gates, 2, axis=1)
        new = v1.nn.xw_plus_b(inputs, *self._of_inputs) + reset * v1.nn.xw_plus_b(state, *self._of_state)
        state = (1 - update) * tf.tanh(new) + update * state
        return state, state
