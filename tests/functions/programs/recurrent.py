"""Recurrent networks: cells, loops over time, their gradients."""

import functools

import tensorflow as tf
from cases import case, normal

rnn_cell = tf.nn.rnn_cell


def in_scope(build):
    """With weights of one seed."""

    @functools.wraps(build)
    def built():
        with tf.variable_scope("scope", initializer=tf.random_uniform_initializer(-0.5, 0.5, 4)):
            return build()

    return built


def over_time(cell, **options):
    return tf.nn.dynamic_rnn(cell, normal(2, 4, 3), dtype=tf.float32, **options)


@case
@in_scope
def basic_cells():
    return [
        over_time(rnn_cell.BasicRNNCell(4), scope="basic"),
        over_time(rnn_cell.BasicLSTMCell(4), scope="lstm"),
        over_time(rnn_cell.BasicLSTMCell(4, 0.5, activation=tf.nn.relu), scope="relu"),
        over_time(rnn_cell.BasicLSTMCell(4, state_is_tuple=False), scope="one_state"),
        over_time(rnn_cell.GRUCell(4), sequence_length=[3, 2], scope="gru"),
        over_time(rnn_cell.GRUCell(4, bias_initializer=tf.ones_initializer()), scope="biased"),
        over_time(rnn_cell.GRUCell(4), time_major=True, scope="time_first"),
    ]


@case
@in_scope
def cells_of_long_memory():
    options = {"cell_clip": 0.3, "num_proj": 2, "proj_clip": 0.5}
    return [
        over_time(rnn_cell.LSTMCell(4, use_peepholes=True, **options), scope="peepholes"),
        over_time(
            rnn_cell.LSTMCell(4, forget_bias=0.0, num_unit_shards=2, num_proj=3, num_proj_shards=3),
            scope="shards",
        ),
        over_time(
            rnn_cell.LSTMCell(4, initializer=tf.random_uniform_initializer(-0.1, 0.1, seed=2)), scope="drawn"
        ),
        over_time(tf.contrib.rnn.LSTMBlockCell(4), scope="block"),
        over_time(tf.contrib.rnn.LSTMBlockCell(4, 0.5, 0.3, True), scope="block_with_peepholes"),
        over_time(tf.contrib.rnn.LayerNormBasicLSTMCell(4), scope="layer_norm"),
        over_time(
            tf.contrib.rnn.LayerNormBasicLSTMCell(4, 0.0, None, tf.nn.relu, True, 1.1, 0.2, reuse=False),
            scope="other_norms",
        ),
        over_time(tf.contrib.rnn.LayerNormBasicLSTMCell(4, layer_norm=False), scope="without_norms"),
        tf.contrib.rnn.LayerNormBasicLSTMCell(4, dropout_keep_prob=0.5, dropout_prob_seed=3)(
            normal(2, 3), normal_state(2, 4), scope="dropped"
        ),
    ]


@case
@in_scope
def wrapped_cells():
    several = rnn_cell.MultiRNNCell(
        [rnn_cell.BasicLSTMCell(4), rnn_cell.DropoutWrapper(rnn_cell.GRUCell(5), output_keep_prob=1.0)]
    )
    return [
        over_time(several, scope="several"),
        over_time(rnn_cell.ResidualWrapper(rnn_cell.GRUCell(3)), scope="residual"),
        over_time(rnn_cell.DeviceWrapper(rnn_cell.GRUCell(3), "/cpu:0"), scope="device"),
        over_time(
            rnn_cell.DropoutWrapper(
                rnn_cell.BasicLSTMCell(4),
                input_keep_prob=0.5,
                variational_recurrent=True,
                input_size=3,
                dtype=tf.float32,
                seed=5,
            ),
            scope="variational",
        ),
    ]


@case
@in_scope
def dropout_of_one_step():
    inputs, state = normal(2, 3), normal(2, 4)
    return [
        rnn_cell.DropoutWrapper(rnn_cell.GRUCell(4, name="first"), state_keep_prob=0.5, seed=5)(
            inputs, state
        ),
        rnn_cell.DropoutWrapper(rnn_cell.GRUCell(4, name="second"), output_keep_prob=0.5, seed=5)(
            inputs, state
        ),
        rnn_cell.DropoutWrapper(rnn_cell.GRUCell(4, name="third"), input_keep_prob=0.5, seed=5)(
            inputs, state
        ),
    ]


@case
@in_scope
def dropout_over_time():
    return [
        over_time(
            rnn_cell.DropoutWrapper(
                rnn_cell.BasicLSTMCell(4),
                input_keep_prob=0.5,
                output_keep_prob=0.6,
                state_keep_prob=0.7,
                seed=5,
            ),
            parallel_iterations=1,
        )
    ]


@case
@in_scope
def both_ways():
    return [
        tf.nn.bidirectional_dynamic_rnn(
            rnn_cell.GRUCell(3),
            rnn_cell.LSTMCell(3),
            normal(2, 4, 3),
            sequence_length=[2, 4],
            dtype=tf.float32,
        ),
        tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
            [rnn_cell.GRUCell(3), rnn_cell.GRUCell(2)],
            [rnn_cell.GRUCell(3), rnn_cell.GRUCell(2)],
            normal(2, 4, 3),
            dtype=tf.float32,
        ),
        tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
            [rnn_cell.LSTMCell(3)],
            [rnn_cell.LSTMCell(3)],
            normal(4, 2, 3),
            [normal_state(2, 3)],
            [normal_state(2, 3)],
            sequence_length=[4, 2],
            time_major=True,
            scope="time_first",
        ),
    ]


@case
@in_scope
def unrolled():
    steps = tf.unstack(normal(2, 4, 3), axis=1)
    return [
        tf.nn.static_rnn(rnn_cell.GRUCell(3), steps, dtype=tf.float32, sequence_length=[2, 4]),
        tf.nn.static_rnn(rnn_cell.LSTMCell(3), steps, normal_state(2, 3), scope="from_a_state"),
        tf.nn.static_bidirectional_rnn(
            rnn_cell.GRUCell(3), rnn_cell.GRUCell(3), steps, dtype=tf.float32, scope="both"
        ),
    ]


def normal_state(batch, units):
    return rnn_cell.LSTMStateTuple(normal(batch, units), normal(batch, units))


class Kept(object):
    """States as tf.contrib.training's queues keep them."""

    def state(self, name):
        return normal(2, 3)

    def save_state(self, name, value):
        return tf.no_op()


@case
@in_scope
def with_saved_states():
    steps = tf.unstack(normal(2, 4, 3), axis=1)
    return tf.nn.static_state_saving_rnn(rnn_cell.GRUCell(3), steps, Kept(), "state")


@case
@in_scope
def raw():
    cell = rnn_cell.LSTMCell(3)
    inputs = tf.TensorArray(tf.float32, 4).unstack(tf.transpose(normal(2, 4, 3), [1, 0, 2]))

    def step(time, output, state, loop_state):
        following = cell.zero_state(2, tf.float32) if output is None else state
        finished = time >= [4, 3]
        read = tf.cond(tf.reduce_all(finished), lambda: tf.zeros([2, 3]), lambda: inputs.read(time))
        return finished, read, following, output, loop_state

    outputs, state, _ = tf.nn.raw_rnn(cell, step)
    return [outputs.stack(), state]


@case
@in_scope
def gradients_of_a_loop():
    outputs, state = over_time(rnn_cell.LSTMCell(4), swap_memory=True, parallel_iterations=1)
    loss = tf.reduce_sum(outputs * outputs) + tf.reduce_sum(state.c)
    return [tf.stop_gradient(slope) for slope in tf.gradients(loss, tf.trainable_variables())]


@case
@in_scope
def cells_by_hand():
    cell = rnn_cell.BasicLSTMCell(4)
    state = cell.zero_state(2, tf.float32)
    first, state = cell(normal(2, 3), state)
    second, state = cell(normal(2, 3), state, scope="other")
    many = rnn_cell.MultiRNNCell([rnn_cell.GRUCell(2), rnn_cell.GRUCell(3)], state_is_tuple=False)
    return [
        first,
        second,
        state,
        cell.output_size,
        str(cell.state_size),
        [variable.name for variable in cell.trainable_variables],
        many(normal(2, 3), normal(2, 5)),
        str(many.state_size),
        many.zero_state(2, tf.float32),
    ]
