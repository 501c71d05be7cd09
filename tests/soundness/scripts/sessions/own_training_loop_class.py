# A trainer class that owns its graph and session; context manager; saves, loads, predicts.
import os
import sys

import numpy as np
import tensorflow as tf


class Regression(object):
    def __init__(self, size, rate=0.1):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, size])
            self.y = tf.placeholder(tf.float32, [None])
            self.w = tf.get_variable('w', [size], initializer=tf.zeros_initializer())
            self.out = tf.reduce_sum(self.x * self.w, 1)
            self.cost = tf.reduce_mean((self.out - self.y) ** 2)
            self.step = tf.train.AdamOptimizer(rate).minimize(self.cost)
            self.saver = tf.train.Saver()
            self._init = tf.global_variables_initializer()

    def __enter__(self):
        self._session = tf.Session(graph=self.graph)
        self._session.run(self._init)
        return self

    def __exit__(self, *ignored):
        self._session.close()

    def partial_fit(self, x, y):
        return self._session.run((self.cost, self.step), {self.x: x, self.y: y})[0]

    def predict(self, x):
        return self._session.run(self.out, feed_dict={self.x: x})

    def save(self, path):
        return self.saver.save(self._session, path)

    def load(self, path):
        self.saver.restore(self._session, path)


rng = np.random.RandomState(0)
path = os.path.join(sys.argv[1], 'reg')
with Regression(3) as model:
    for _ in range(5):
        x = rng.randn(4, 3)
        print('%.9g' % model.partial_fit(x, x.sum(1)))
    model.save(path)
    print(model.predict(np.eye(3)).tolist())
with Regression(3, rate=1.0) as other:
    print(other.predict(np.eye(3)).tolist())
    other.load(path)
    print(other.predict(np.eye(3)).tolist(), '%.9g' % other.partial_fit(np.eye(3), [1, 1, 1]))
