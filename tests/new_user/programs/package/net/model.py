"""Two layers of slim."""

import tensorflow as tf

slim = tf.contrib.slim


def arg_scope(weight_decay):
    with slim.arg_scope(
        [slim.fully_connected],
        weights_regularizer=slim.l2_regularizer(weight_decay),
        weights_initializer=slim.xavier_initializer(seed=3),
    ) as scope:
        return scope


def network(x):
    net = slim.fully_connected(x, 10, scope="fc1")
    return slim.fully_connected(net, 3, activation_fn=None, scope="logits")
