"""The network of mnist_supervisor.py as a tf.Module: it keeps its variables, and makes its loss of any batch."""
import math

import tensorflow as tf


class Network(tf.Module):
    """784 pixels, one hidden layer, ten classes."""

    def __init__(self, hidden_units, seed):
        super().__init__()
        self.hid_w = _normal('hid_w', [784, hidden_units], 1.0 / 28, seed)
        self.hid_b = tf.Variable(tf.zeros([hidden_units]), name='hid_b')
        self.sm_w = _normal('sm_w', [hidden_units, 10], 1.0 / math.sqrt(hidden_units), seed + 1)
        self.sm_b = tf.Variable(tf.zeros([10]), name='sm_b')

    def loss(self, images, labels):
        """The cross entropy, summed over the batch.

        Args:
          images: float32 [batch_size, 784].
          labels: float32 [batch_size, 10].
        """
        hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(images, self.hid_w), self.hid_b))
        y = tf.nn.softmax(tf.nn.bias_add(tf.matmul(hidden, self.sm_w), self.sm_b))
        return -tf.reduce_sum(labels * tf.math.log(tf.clip_by_value(y, 1e-10, 1.0)))


def _normal(name, shape, stddev, seed):
    return tf.Variable(tf.random.truncated_normal(shape, stddev=stddev, seed=seed), name=name)
