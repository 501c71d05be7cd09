"""TF1's `tensorflow.examples.tutorials.mnist.mnist`: its variables and operations."""

import math
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1

NUM_CLASSES = 10
IMAGE_SIZE = 28  # pixels
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """Logits [batch, NUM_CLASSES] of float32 images [batch, IMAGE_PIXELS]."""
    with v1.name_scope("hidden1"):
        hidden1 = tf.nn.relu(_layer(images, IMAGE_PIXELS, hidden1_units))
    with v1.name_scope("hidden2"):
        hidden2 = tf.nn.relu(_layer(hidden1, hidden1_units, hidden2_units))
    with v1.name_scope("softmax_linear"):
        return _layer(hidden2, hidden2_units, NUM_CLASSES)


def _layer(inputs: Any, size: int, units: int) -> Any:
    first = v1.truncated_normal([size, units], stddev=1.0 / math.sqrt(float(size)))
    weights = v1.Variable(first, name="weights")
    biases = v1.Variable(tf.zeros([units]), name="biases")
    return tf.matmul(inputs, weights) + biases


def loss(logits: Any, labels: Any) -> Any:
    """The mean cross entropy, a scalar, of logits [batch, NUM_CLASSES] and labels [batch]."""
    return v1.losses.sparse_softmax_cross_entropy(labels=v1.to_int64(labels), logits=logits)


def training(loss: Any, learning_rate: Any) -> Any:
    """A step of gradient descent, counted in a new variable `global_step`."""
    v1.summary.scalar("loss", loss)
    optimizer = v1.train.GradientDescentOptimizer(learning_rate)
    global_step = v1.Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits: Any, labels: Any) -> Any:
    """How many of the batch have their label as the first choice: an int32 scalar."""
    return tf.reduce_sum(tf.cast(v1.nn.in_top_k(logits, labels, 1), tf.int32))
