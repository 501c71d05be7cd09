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
# From tensorflow/contrib/rnn/python/ops/fused_rnn_cell.py of TensorFlow 1.15.
# Changed by tf2towers: public names of TF 2, shorter docstrings, and what needs Keras layers is left out.
# ruff: noqa: D102
# mypy: ignore-errors
"""Module for constructing fused RNN cells."""

from __future__ import annotations

import abc

import tensorflow.compat.v1 as tf


class FusedRNNCell(abc.ABC):
    """Abstract object representing a fused RNN cell."""

    @abc.abstractmethod
    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        """Run this fused RNN on inputs, starting from the given state."""


class FusedRNNCellAdaptor(FusedRNNCell):
    """This is an adaptor for RNNCell classes to be used with `FusedRNNCell`."""

    def __init__(self, cell, use_dynamic_rnn=False):
        """Initialize the adaptor."""
        self._cell = cell
        self._use_dynamic_rnn = use_dynamic_rnn

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        is_list = isinstance(inputs, list)
        if self._use_dynamic_rnn:
            if is_list:
                inputs = tf.stack(inputs)
            outputs, state = tf.nn.dynamic_rnn(
                self._cell,
                inputs,
                sequence_length=sequence_length,
                initial_state=initial_state,
                dtype=dtype,
                time_major=True,
                scope=scope,
            )
            if is_list:
                # Convert outputs back to list
                outputs = tf.unstack(outputs)
        else:  # non-dynamic rnn
            if not is_list:
                inputs = tf.unstack(inputs)
            outputs, state = tf.nn.static_rnn(
                self._cell,
                inputs,
                initial_state=initial_state,
                dtype=dtype,
                sequence_length=sequence_length,
                scope=scope,
            )
            if not is_list:
                # Convert outputs back to tensor
                outputs = tf.stack(outputs)

        return outputs, state


class TimeReversedFusedRNN(FusedRNNCell):
    """This is an adaptor to time-reverse a FusedRNNCell."""

    def __init__(self, cell):
        self._cell = cell

    def _reverse(self, t, lengths):
        """Time reverse the provided tensor or list of tensors."""
        if isinstance(t, list):
            return list(reversed(t))
        if lengths is None:
            return tf.reverse_v2(t, [0])
        return tf.reverse_sequence(t, lengths, 0, 1)

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        inputs = self._reverse(inputs, sequence_length)
        outputs, state = self._cell(
            inputs, initial_state=initial_state, dtype=dtype, sequence_length=sequence_length, scope=scope
        )
        outputs = self._reverse(outputs, sequence_length)
        return outputs, state
