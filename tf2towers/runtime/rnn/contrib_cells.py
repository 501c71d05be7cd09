# Copyright 2015 The TensorFlow Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
#
# From tensorflow/contrib/rnn/python/ops/rnn_cell.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: D102
# mypy: ignore-errors
"""Cells of `tf.contrib.rnn` that few scripts have: NASCell, UGRNNCell, and the wrappers for attention and highways."""

from __future__ import annotations

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tf2towers.runtime.contrib import support
from tf2towers.runtime.graph_session.private import get_variable
from tf2towers.runtime.rnn.cell import LayerRNNCell, RNNCell, known_depth
from tf2towers.runtime.rnn.core_rnn_cell import _Linear
from tf2towers.runtime.rnn.lstm import LSTMStateTuple


class NASCell(LayerRNNCell):
    """`tf.contrib.rnn.NASCell`: the recurrent cell that architecture search found (Zoph and Le, 2017)."""

    _NAS_BASE = 8

    def __init__(self, num_units, num_proj=None, use_bias=False, reuse=None, **kwargs):
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units = num_units
        self._num_proj = num_proj
        self._use_bias = use_bias
        self._output_size = num_units if num_proj is None else num_proj

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self._output_size)

    @property
    def output_size(self):
        return self._output_size

    def build(self, inputs_shape):
        columns = self._NAS_BASE * self._num_units
        self.recurrent_kernel = self.add_variable("recurrent_kernel", [self._output_size, columns])
        self.kernel = self.add_variable("kernel", [known_depth(inputs_shape), columns])
        if self._use_bias:
            self.bias = self.add_variable("bias", shape=[columns], initializer=tf.zeros_initializer)
        if self._num_proj is not None:
            shape = [self._num_units, self._num_proj]
            self.projection_weights = self.add_variable("projection_weights", shape)
        self.built = True

    def call(self, inputs, state):
        c_prev, m_prev = state
        m_matrix = tf.matmul(m_prev, self.recurrent_kernel)
        inputs_matrix = tf.matmul(inputs, self.kernel)
        if self._use_bias:
            m_matrix = tf.nn.bias_add(m_matrix, self.bias)
        m = tf.split(axis=1, num_or_size_splits=self._NAS_BASE, value=m_matrix)
        x = tf.split(axis=1, num_or_size_splits=self._NAS_BASE, value=inputs_matrix)

        layer1_0 = tf.sigmoid(x[0] + m[0])
        layer1_1 = tf.nn.relu(x[1] + m[1])
        layer1_2 = tf.sigmoid(x[2] + m[2])
        layer1_3 = tf.nn.relu(x[3] * m[3])
        layer1_4 = tf.tanh(x[4] + m[4])
        layer1_5 = tf.sigmoid(x[5] + m[5])
        layer1_6 = tf.tanh(x[6] + m[6])
        layer1_7 = tf.sigmoid(x[7] + m[7])

        l2_0 = tf.tanh(layer1_0 * layer1_1)
        l2_1 = tf.tanh(layer1_2 + layer1_3)
        l2_2 = tf.tanh(layer1_4 * layer1_5)
        l2_3 = tf.sigmoid(layer1_6 + layer1_7)

        l2_0 = tf.tanh(l2_0 + c_prev)
        new_c = l2_0 * l2_1
        new_m = tf.tanh(new_c * tf.tanh(l2_2 + l2_3))
        if self._num_proj is not None:
            new_m = tf.matmul(new_m, self.projection_weights)
        return new_m, LSTMStateTuple(new_c, new_m)


class UGRNNCell(RNNCell):
    """`tf.contrib.rnn.UGRNNCell`: one gate, between an LSTM and a plain cell (Collins et al., 2017)."""

    def __init__(self, num_units, initializer=None, forget_bias=1.0, activation=tf.tanh, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = activation
        self._linear = None

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def call(self, inputs, state):
        known_depth(inputs.get_shape())
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            cell_inputs = tf.concat([inputs, state], 1)
            if self._linear is None:
                self._linear = _Linear(cell_inputs, 2 * self._num_units, True)
            g_act, c_act = tf.split(axis=1, num_or_size_splits=2, value=self._linear(cell_inputs))
            c = self._activation(c_act)
            g = tf.sigmoid(g_act + self._forget_bias)
            new_state = g * state + (1.0 - g) * c
        return new_state, new_state


class AttentionCellWrapper(RNNCell):
    """`tf.contrib.rnn.AttentionCellWrapper`: a cell that attends to its own last outputs (Cheng et al., 2016)."""

    def __init__(
        self,
        cell,
        attn_length,
        attn_size=None,
        attn_vec_size=None,
        input_size=None,
        state_is_tuple=True,
        reuse=None,
    ):
        super().__init__(_reuse=reuse)
        support.assert_like_rnncell("cell", cell)
        if tf2.nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag "
                f"state_is_tuple is not set. State size is: {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        if not state_is_tuple:
            tf.logging.warn(
                "%s: Using a concatenated state is slower and will soon be deprecated.  Use state_is_tuple=True.",
                self,
            )
        self._attn_size = cell.output_size if attn_size is None else attn_size
        self._attn_vec_size = self._attn_size if attn_vec_size is None else attn_vec_size
        self._state_is_tuple = state_is_tuple
        self._cell = cell
        self._input_size = input_size
        self._attn_length = attn_length
        self._linear1 = None
        self._linear2 = None
        self._linear3 = None

    @property
    def state_size(self):
        size = (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)
        return size if self._state_is_tuple else sum(size)

    @property
    def output_size(self):
        return self._attn_size

    def call(self, inputs, state):
        if self._state_is_tuple:
            state, attns, attn_states = state
        else:
            states, of_cell = state, self._cell.state_size
            state = tf.slice(states, [0, 0], [-1, of_cell])
            attns = tf.slice(states, [0, of_cell], [-1, self._attn_size])
            attn_states = tf.slice(
                states, [0, of_cell + self._attn_size], [-1, self._attn_size * self._attn_length]
            )
        attn_states = tf.reshape(attn_states, [-1, self._attn_length, self._attn_size])
        input_size = self._input_size
        if input_size is None:
            input_size = inputs.get_shape().as_list()[1]
        if self._linear1 is None:
            self._linear1 = _Linear([inputs, attns], input_size, True)
        inputs = self._linear1([inputs, attns])
        cell_output, new_state = self._cell(inputs, state)
        new_state_cat = tf.concat(tf2.nest.flatten(new_state), 1) if self._state_is_tuple else new_state
        new_attns, new_attn_states = self._attention(new_state_cat, attn_states)
        with tf.variable_scope("attn_output_projection"):
            if self._linear2 is None:
                self._linear2 = _Linear([cell_output, new_attns], self._attn_size, True)
            output = self._linear2([cell_output, new_attns])
        new_attn_states = tf.concat([new_attn_states, tf.expand_dims(output, 1)], 1)
        new_attn_states = tf.reshape(new_attn_states, [-1, self._attn_length * self._attn_size])
        new_state = (new_state, new_attns, new_attn_states)
        return output, new_state if self._state_is_tuple else tf.concat(list(new_state), 1)

    def _attention(self, query, attn_states):
        with tf.variable_scope("attention"):
            k = get_variable("attn_w", [1, 1, self._attn_size, self._attn_vec_size])
            v = get_variable("attn_v", [self._attn_vec_size])
            hidden = tf.reshape(attn_states, [-1, self._attn_length, 1, self._attn_size])
            hidden_features = tf.nn.conv2d(hidden, k, [1, 1, 1, 1], "SAME")
            if self._linear3 is None:
                self._linear3 = _Linear(query, self._attn_vec_size, True)
            y = tf.reshape(self._linear3(query), [-1, 1, 1, self._attn_vec_size])
            a = tf.nn.softmax(tf.reduce_sum(v * tf.tanh(hidden_features + y), [2, 3]))
            d = tf.reduce_sum(tf.reshape(a, [-1, self._attn_length, 1, 1]) * hidden, [1, 2])
            return tf.reshape(d, [-1, self._attn_size]), tf.slice(attn_states, [0, 1, 0], [-1, -1, -1])


class HighwayWrapper(RNNCell):
    """`tf.contrib.rnn.HighwayWrapper`: a cell's input carried past it by a gate (Srivastava et al., 2015)."""

    def __init__(self, cell, couple_carry_transform_gates=True, carry_bias_init=1.0):
        super().__init__()
        self._cell = cell
        self._couple_carry_transform_gates = couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)

    def _gate(self, inp, name, bias):
        size = inp.get_shape().with_rank(2).as_list()[1]
        weight = get_variable(name + "_w", [size, size])
        bias = get_variable(name + "_b", [size], initializer=tf.constant_initializer(bias))
        return tf.sigmoid(tf.nn.xw_plus_b(inp, weight, bias))

    def _highway(self, inp, out):
        carry = self._gate(inp, "carry", self._carry_bias_init)
        if self._couple_carry_transform_gates:
            transform = 1 - carry
        else:
            transform = self._gate(inp, "transform", -self._carry_bias_init)
        return inp * carry + out * transform

    def __call__(self, inputs, state, scope=None):
        outputs, new_state = self._cell(inputs, state, scope=scope)
        tf2.nest.assert_same_structure(inputs, outputs)
        tf2.nest.map_structure(
            lambda inp, out: inp.get_shape().assert_is_compatible_with(out.get_shape()), inputs, outputs
        )
        return tf2.nest.map_structure(self._highway, inputs, outputs), new_state
