"""Recurrent networks: cells, loops over time, their gradients."""

import functools

import tensorflow as tf
from cases import case, cases, normal, on_inputs

rnn_cell = tf.nn.rnn_cell


def in_scope(build):
    """With weights of one seed."""

    @functools.wraps(build)
    def built():
        with tf.variable_scope("scope", initializer=tf.random_uniform_initializer(-0.5, 0.5, 4)):
            return on_inputs(build)

    return built


def over_time(cell, **options):
    return tf.nn.dynamic_rnn(cell, normal(2, 4, 3), dtype=tf.float32, **options)


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


TABLE = {
    "basic_cells": lambda: [
        over_time(rnn_cell.BasicRNNCell(4), scope="basic"),
        over_time(rnn_cell.BasicLSTMCell(4), scope="lstm"),
        over_time(rnn_cell.BasicLSTMCell(4, 0.5, activation=tf.nn.relu), scope="relu"),
        over_time(rnn_cell.BasicLSTMCell(4, state_is_tuple=False), scope="one_state"),
        over_time(rnn_cell.GRUCell(4), sequence_length=[3, 2], scope="gru"),
        over_time(rnn_cell.GRUCell(4, bias_initializer=tf.ones_initializer()), scope="biased"),
        over_time(rnn_cell.GRUCell(4), time_major=True, scope="time_first"),
    ],
    "both_ways": lambda: [
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
    ],
}
cases(__name__, {name: in_scope(build) for name, build in TABLE.items()})
