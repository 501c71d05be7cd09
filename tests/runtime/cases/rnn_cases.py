"""Cases for `tf.nn.rnn_cell`, `tf.contrib.rnn` and the loops of `tf.nn`."""

import numpy as np

from .running import Case

SEQUENCES = (3, 4, 5)


def _tensors(nest):
    """The tensors of outputs and state, in order."""
    if isinstance(nest, (list, tuple)):
        return [tensor for part in nest for tensor in _tensors(part)]
    return [nest]


def _dynamic(make, lengths=None, **options):
    def build(api, x):
        outputs = api.rnn.dynamic_rnn(make(api), x, sequence_length=lengths, dtype=api.tf.float32, **options)
        return _tensors(outputs)

    return build


def _static(make, lengths=None, **options):
    def build(api, x):
        steps = api.tf.unstack(x, axis=1)
        outputs = api.rnn.static_rnn(
            make(api), steps, sequence_length=lengths, dtype=api.tf.float32, **options
        )
        return _tensors(outputs)

    return build


def _cell(function, *arguments, **options):
    return lambda api: getattr(api.rnn, function)(*arguments, **options)


def _stacked(state_is_tuple):
    def make(api):
        cells = [api.rnn.BasicLSTMCell(n, state_is_tuple=state_is_tuple) for n in (4, 3)]
        return api.rnn.MultiRNNCell(cells, state_is_tuple=state_is_tuple)

    return make


def _mixed(api):
    """Wrappers, a shared name and a residual connection in one stack."""
    rnn = api.rnn
    first = rnn.DropoutWrapper(rnn.GRUCell(5, name="first"), output_keep_prob=1.0)
    second = rnn.ResidualWrapper(rnn.LSTMCell(5))
    third = rnn.DeviceWrapper(rnn.BasicRNNCell(3, activation="relu"), "/cpu:0")
    return rnn.MultiRNNCell([first, second, third])


def _residual_fn(api):
    return api.rnn.ResidualWrapper(api.rnn.BasicRNNCell(5), lambda inputs, outputs: 2.0 * inputs - outputs)


def _projected(api):
    return api.rnn.OutputProjectionWrapper(api.rnn.LSTMCell(4), 3, api.tf.sigmoid)


def _keras_layers(api, x):
    layers = api.contrib.keras.layers
    both = layers.Bidirectional(layers.LSTM(3, return_sequences=True, unroll=True))(x)
    backwards = layers.GRU(2, go_backwards=True, reset_after=True, name="last")
    images = layers.ConvLSTM2D(2, (1, 2), return_sequences=True)(api.tf.reshape(x, [3, 4, 1, 5, 1]))
    top = layers.ConvLSTM2D(2, (1, 3), strides=2, padding="same", go_backwards=True, return_state=True)
    return [both, backwards(both), layers.SimpleRNN(2)(x), backwards(both[:, 1:]), images, *top(images)]


def _keras_cells(api, x):
    keras, layers = api.contrib.keras, api.contrib.keras.layers
    cells = [layers.LSTMCell(3, implementation=2), layers.SimpleRNNCell(2), layers.GRUCell(2)]
    np.random.seed(3)  # masks and noise draw their seeds
    noisy = layers.LSTM(2, dropout=0.2, recurrent_dropout=0.3)(x, training=True)
    chances = layers.Dense(5, "softmax")(100.0 * x)  # they are clipped
    found = layers.RNN(cells, return_state=True)(x)
    found += [layers.RNN(layers.GRUCell(2), return_sequences=True)(x), layers.GaussianNoise(0.3)(noisy, True)]
    found.append(keras.losses.categorical_crossentropy(abs(x), chances))
    return _tensors([found, keras.backend.switch(x[:, 0, 0] > 0, x, 2.0 * x)])


def _dropout(**options):
    return lambda api: api.rnn.DropoutWrapper(api.rnn.BasicLSTMCell(5), seed=3, **options)


def _variational(api):
    return api.rnn.DropoutWrapper(
        api.rnn.MultiRNNCell([api.rnn.LSTMCell(5), api.rnn.GRUCell(4)]),
        0.7,
        0.6,
        0.8,
        variational_recurrent=True,
        input_size=5,
        dtype=api.tf.float32,
        seed=5,
    )


def _own_cell(api):
    """A script's own cell, which makes its variables in `call`."""
    tf, rnn = api.tf, api.rnn

    class OwnCell(rnn.RNNCell):
        @property
        def state_size(self):
            return 4

        @property
        def output_size(self):
            return 4

        def call(self, inputs, state):
            kernel = tf.get_variable("weights", [inputs.shape.as_list()[-1] + 4, 4])
            output = tf.nn.relu(tf.matmul(tf.concat([inputs, state], 1), kernel))
            return output, output

    return rnn.MultiRNNCell([OwnCell(), OwnCell(name="second")])


def _steps(api, x):
    """A script's own loop over time: one scope, reused; then a cell given a scope by name."""
    tf, rnn = api.tf, api.rnn
    cell = rnn.BasicLSTMCell(4, forget_bias=0.0)
    state = cell.zero_state(3, tf.float32)
    outputs = []
    with tf.variable_scope("RNN"):
        for step in range(4):
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(x[:, step, :], state)
            outputs.append(output)
    other = rnn.GRUCell(4)
    output, state = other(outputs[-1], other.zero_state(tf.shape(x)[0], tf.float32), scope="named")
    names = [variable.name for variable in tf.trainable_variables()[2:]]
    assert [variable.name for variable in other.variables] == names
    return [output, *outputs]


def _bidirectional(api, x):
    rnn, lengths = api.rnn, [4, 2, 3]
    outputs, states = rnn.bidirectional_dynamic_rnn(
        rnn.LSTMCell(4), rnn.GRUCell(3), x, sequence_length=lengths, dtype=api.tf.float32
    )
    return _tensors([outputs, states])


def _bidirectional_static(api, x):
    rnn = api.rnn
    steps = api.tf.unstack(x, axis=1)
    return _tensors(
        rnn.static_bidirectional_rnn(rnn.BasicLSTMCell(4), rnn.BasicLSTMCell(4), steps, dtype=api.tf.float32)
    )


def _initial_state(api, x):
    tf, rnn = api.tf, api.rnn
    cell = rnn.LSTMCell(4, initializer=tf.constant_initializer(0.1), state_is_tuple=True)
    state = rnn.LSTMStateTuple(tf.ones([3, 4]), 0.5 * tf.ones([3, 4]))
    with tf.variable_scope("decoder"):
        outputs = rnn.dynamic_rnn(
            cell, tf.transpose(x, [1, 0, 2]), initial_state=state, time_major=True, scope="loop"
        )
    return _tensors(outputs)


CASES = {
    "BasicRNNCell": Case(_dynamic(_cell("BasicRNNCell", 4)), SEQUENCES),
    "BasicLSTMCell": Case(_dynamic(_cell("BasicLSTMCell", 4)), SEQUENCES),
    "BasicLSTMCell lengths": Case(_dynamic(_cell("BasicLSTMCell", 4, 0.5), [2, 4, 1]), SEQUENCES),
    "BasicLSTMCell joined state": Case(_dynamic(_cell("BasicLSTMCell", 4, state_is_tuple=False)), SEQUENCES),
    "LSTMCell": Case(_dynamic(_cell("LSTMCell", 4)), SEQUENCES),
    "LSTMCell everything": Case(
        _dynamic(_cell("LSTMCell", 4, True, 0.3, num_proj=3, proj_clip=0.2, forget_bias=0.7)), SEQUENCES
    ),
    "LSTMCell joined state": Case(_static(_cell("LSTMCell", 4, num_proj=2, state_is_tuple=False)), SEQUENCES),
    "GRUCell": Case(_dynamic(_cell("GRUCell", 4)), SEQUENCES),
    "GRUCell initial": Case(_static(_cell("GRUCell", 4, name="gru")), SEQUENCES),
    "LSTMBlockCell": Case(_dynamic(_cell("LSTMBlockCell", 4)), SEQUENCES),
    "LSTMBlockCell peephole": Case(
        _static(_cell("LSTMBlockCell", 4, 0.5, 0.4, use_peephole=True)), SEQUENCES
    ),
    "LayerNormBasicLSTMCell": Case(_dynamic(_cell("LayerNormBasicLSTMCell", 4)), SEQUENCES),
    "LayerNormBasicLSTMCell plain": Case(
        _static(
            _cell("LayerNormBasicLSTMCell", 4, layer_norm=False, dropout_keep_prob=0.5, dropout_prob_seed=1)
        ),
        SEQUENCES,
    ),
    "OutputProjectionWrapper": Case(_dynamic(_projected, [4, 2, 3]), SEQUENCES),
    "Keras's layers": Case(_keras_layers, SEQUENCES),
    "Keras's cells": Case(_keras_cells, SEQUENCES),
    "MultiRNNCell": Case(_dynamic(_stacked(True)), SEQUENCES),
    "MultiRNNCell joined state": Case(_dynamic(_stacked(False)), SEQUENCES),
    "MultiRNNCell static": Case(_static(_stacked(True), scope="words"), SEQUENCES),
    "mixed": Case(_dynamic(_mixed, [4, 3, 4]), SEQUENCES),
    "mixed static": Case(_static(_mixed, [4, 3, 4]), SEQUENCES),
    "ResidualWrapper": Case(_dynamic(_residual_fn), SEQUENCES),
    "DropoutWrapper": Case(_dynamic(_dropout(input_keep_prob=0.6, output_keep_prob=0.7)), SEQUENCES),
    "DropoutWrapper state": Case(_static(_dropout(state_keep_prob=0.5)), SEQUENCES),
    "DropoutWrapper variational": Case(_dynamic(_variational), SEQUENCES),
    "own cell": Case(_dynamic(_own_cell), SEQUENCES),
    "own cell static": Case(_static(_own_cell), SEQUENCES),
    "steps": Case(_steps, SEQUENCES),
    "bidirectional_dynamic_rnn": Case(_bidirectional, SEQUENCES),
    "static_bidirectional_rnn": Case(_bidirectional_static, SEQUENCES),
    "initial state": Case(_initial_state, SEQUENCES, keep_initial=True),
}
