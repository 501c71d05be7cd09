"""Two towers whose losses depend on which of them is computed first: no edge of the graph says which."""

import itertools
import os
import time

import numpy as np
import tensorflow as tf

COUNT = itertools.count()


def place():
    """Which call this is, after a moment that nobody knows."""
    time.sleep(ord(os.urandom(1)) / 10000.0)
    return np.float32(next(COUNT) % 2)


def main(_):
    opt, grads = tf.train.GradientDescentOptimizer(0.1), []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(2):
            with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
                w = tf.get_variable("w", [], initializer=tf.ones_initializer())
                loss = tf.square(w * (i + 1) - tf.py_func(place, [], tf.float32))
                tf.get_variable_scope().reuse_variables()
                grads.append(opt.compute_gradients(loss, [w]))
    mean = [(tf.add_n([g for g, _ in pairs]) / 2, pairs[0][1]) for pairs in zip(*grads)]
    train = opt.apply_gradients(mean)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(20):
            sess.run(train)


if __name__ == "__main__":
    tf.app.run(main)
