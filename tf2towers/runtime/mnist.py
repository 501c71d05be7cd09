"""The model of TF1's MNIST tutorial, `tensorflow.examples.tutorials.mnist.mnist`: two hidden layers and a softmax.

The names of variables and scopes are the tutorial's, so that its checkpoints fit.
"""

from __future__ import annotations

import math
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.private import get_variable

NUM_CLASSES = 10
IMAGE_SIZE = 28  # pixels
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """Logits [batch, NUM_CLASSES] of float32 images [batch, IMAGE_PIXELS].

    The weights are variables of the VariableStore in force.
    """
    hidden1 = tf.nn.relu(_layer("hidden1", images, IMAGE_PIXELS, hidden1_units))
    hidden2 = tf.nn.relu(_layer("hidden2", hidden1, hidden1_units, hidden2_units))
    return _layer("softmax_linear", hidden2, hidden2_units, NUM_CLASSES)


def _layer(scope: str, inputs: Any, size: int, units: int) -> Any:
    with tf.compat.v1.variable_scope(scope):
        initializer = tf.compat.v1.truncated_normal_initializer(stddev=1.0 / math.sqrt(float(size)))
        weights = get_variable("weights", [size, units], initializer=initializer)
        biases = get_variable("biases", [units], initializer=tf.compat.v1.zeros_initializer())
    with tf.name_scope(scope):
        return tf.matmul(inputs, weights) + biases


def loss(logits: Any, labels: Any) -> Any:
    """The mean cross entropy, a scalar, of logits [batch, NUM_CLASSES] and integer labels [batch]."""
    return tf.compat.v1.losses.sparse_softmax_cross_entropy(labels=tf.cast(labels, tf.int64), logits=logits)


def evaluation(logits: Any, labels: Any) -> Any:
    """How many of the batch have their label among the first choices: an int32 scalar."""
    correct = tf.math.in_top_k(targets=tf.cast(labels, tf.int32), predictions=logits, k=1)
    return tf.reduce_sum(tf.cast(correct, tf.int32))
