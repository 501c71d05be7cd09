# Copyright 2016 The TensorFlow Authors. All Rights Reserved.
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
# From tensorflow/contrib/rnn/python/ops/lstm_ops.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: D102
# mypy: ignore-errors
"""LSTM Block Cell ops."""

from __future__ import annotations

import abc

import tensorflow.compat.v1 as tf

from tf2towers.runtime import layers
from tf2towers.runtime.rnn.lstm import LSTMStateTuple


class LSTMBlockWrapper(layers.Layer):
    """This is a helper class that provides housekeeping for LSTM cells."""

    @property
    @abc.abstractmethod
    def num_units(self):
        """Number of units in this cell (output dimension)."""

    @abc.abstractmethod
    def _call_cell(self, inputs, initial_cell_state, initial_output, dtype, sequence_length):
        """Run this LSTM on inputs, starting from the given state."""

    def call(self, inputs, initial_state=None, dtype=None, sequence_length=None):
        """Run this LSTM on inputs, starting from the given state."""
        is_list = isinstance(inputs, list)
        if is_list:
            inputs = tf.stack(inputs)
        inputs_shape = inputs.get_shape().with_rank(3)
        if not inputs_shape.dims[2].value:
            raise ValueError(f"Expecting inputs_shape[2] to be set: {inputs_shape}")
        batch_size = inputs_shape.dims[1].value
        if batch_size is None:
            batch_size = tf.shape(inputs)[1]
        time_len = inputs_shape.dims[0].value
        if time_len is None:
            time_len = tf.shape(inputs)[0]

        # Provide default values for initial_state and dtype
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype needs to be specified")
            z = tf.zeros(tf.stack([batch_size, self.num_units]), dtype=dtype)
            initial_state = z, z
        else:
            if len(initial_state) != 2:
                raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
            if dtype is None:
                dtype = initial_state[0].dtype

        # create the actual cell
        if sequence_length is not None:
            sequence_length = tf.convert_to_tensor(sequence_length)
        initial_cell_state, initial_output = initial_state
        cell_states, outputs = self._call_cell(
            inputs, initial_cell_state, initial_output, dtype, sequence_length
        )

        if sequence_length is not None:
            # Mask out the part beyond sequence_length
            mask = tf.transpose(tf.sequence_mask(sequence_length, time_len, dtype=dtype), [1, 0])
            mask = tf.tile(tf.expand_dims(mask, [-1]), [1, 1, self.num_units])
            outputs *= mask
            # Prepend initial states to cell_states and outputs for indexing to work
            # correctly,since we want to access the last valid state at
            # sequence_length - 1, which can even be -1, corresponding to the
            # initial state.
            mod_cell_states = tf.concat([tf.expand_dims(initial_cell_state, [0]), cell_states], 0)
            mod_outputs = tf.concat([tf.expand_dims(initial_output, [0]), outputs], 0)
            final_cell_state = self._gather_states(mod_cell_states, sequence_length, batch_size)
            final_output = self._gather_states(mod_outputs, sequence_length, batch_size)
        else:
            # No sequence_lengths used: final state is the last state
            final_cell_state = cell_states[-1]
            final_output = outputs[-1]

        if is_list:
            # Input was a list, so return a list
            outputs = tf.unstack(outputs)

        final_state = LSTMStateTuple(final_cell_state, final_output)
        return outputs, final_state

    def _gather_states(self, data, indices, batch_size):
        """Produce `out`, s.t. out(i, j) = data(indices(i), i, j)."""
        return tf.gather_nd(data, tf.stack([indices, tf.range(batch_size)], axis=1))


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """FusedRNNCell implementation of LSTM."""

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        cell_clip=None,
        use_peephole=False,
        reuse=None,
        dtype=None,
        name="lstm_fused_cell",
    ):
        """Initialize the LSTM cell."""
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = cell_clip if cell_clip is not None else -1
        self._use_peephole = use_peephole

        # Inputs must be 3-dimensional.
        self.input_spec = layers.InputSpec(ndim=3)

    @property
    def num_units(self):
        """Number of units in this cell (output dimension)."""
        return self._num_units

    def build(self, input_shape):
        input_size = input_shape.dims[2].value
        self._kernel = self.add_variable("kernel", [input_size + self._num_units, self._num_units * 4])
        self._bias = self.add_variable(
            "bias", [self._num_units * 4], initializer=tf.constant_initializer(0.0)
        )
        if self._use_peephole:
            self._w_i_diag = self.add_variable("w_i_diag", [self._num_units])
            self._w_f_diag = self.add_variable("w_f_diag", [self._num_units])
            self._w_o_diag = self.add_variable("w_o_diag", [self._num_units])

        self.built = True

    def _call_cell(
        self, inputs, initial_cell_state=None, initial_output=None, dtype=None, sequence_length=None
    ):
        """Run this LSTM on inputs, starting from the given state."""
        inputs_shape = inputs.get_shape().with_rank(3)
        time_len = inputs_shape.dims[0].value
        if time_len is None:
            time_len = tf.shape(inputs)[0]

        if self._use_peephole:
            wci = self._w_i_diag
            wco = self._w_o_diag
            wcf = self._w_f_diag
        else:
            wci = wcf = wco = tf.zeros([self._num_units], dtype=dtype)

        if sequence_length is None:
            max_seq_len = tf.cast(time_len, tf.int64)
        else:
            max_seq_len = tf.cast(tf.reduce_max(sequence_length), tf.int64)

        _, cs, _, _, _, _, h = tf.raw_ops.BlockLSTM(
            seq_len_max=max_seq_len,
            x=inputs,
            cs_prev=initial_cell_state,
            h_prev=initial_output,
            w=self._kernel,
            wci=wci,
            wcf=wcf,
            wco=wco,
            b=self._bias,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return cs, h
