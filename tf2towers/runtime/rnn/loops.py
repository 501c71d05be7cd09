"""Cells over time: TF 2 still has TF1's loops in `tf.compat.v1.nn`, and they take any object that behaves as a cell."""

from __future__ import annotations

import tensorflow as tf

dynamic_rnn = tf.compat.v1.nn.dynamic_rnn
bidirectional_dynamic_rnn = tf.compat.v1.nn.bidirectional_dynamic_rnn
raw_rnn = tf.compat.v1.nn.raw_rnn
static_rnn = tf.compat.v1.nn.static_rnn
static_bidirectional_rnn = tf.compat.v1.nn.static_bidirectional_rnn
