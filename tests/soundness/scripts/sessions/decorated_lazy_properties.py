# Graph parts as lazy properties made by a decorator.
import functools

import numpy as np
import tensorflow as tf


def lazy(function):
    name = '_cache_' + function.__name__

    @property
    @functools.wraps(function)
    def wrapper(self):
        if not hasattr(self, name):
            with tf.variable_scope(function.__name__):
                setattr(self, name, function(self))
        return getattr(self, name)
    return wrapper


class Model:
    def __init__(self, image, label):
        self.image, self.label = image, label
        self.prediction, self.optimize, self.error

    @lazy
    def prediction(self):
        w = tf.get_variable('w', [int(self.image.shape[1]), int(self.label.shape[1])],
                            initializer=tf.glorot_uniform_initializer(seed=3))
        return tf.nn.softmax(tf.matmul(self.image, w))

    @lazy
    def cost(self):
        return -tf.reduce_sum(self.label * tf.log(self.prediction + 1e-8))

    @lazy
    def optimize(self):
        return tf.train.RMSPropOptimizer(0.03).minimize(self.cost)

    @lazy
    def error(self):
        wrong = tf.not_equal(tf.argmax(self.label, 1), tf.argmax(self.prediction, 1))
        return tf.reduce_mean(tf.cast(wrong, tf.float32))


image, label = tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.float32, [None, 3])
model = Model(image, label)
print([v.op.name for v in tf.global_variables()])
rng = np.random.RandomState(0)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for _ in range(4):
    images, labels = rng.rand(6, 5), np.eye(3)[rng.randint(0, 3, 6)]
    sess.run(model.optimize, {image: images, label: labels})
    print(sess.run([model.error, model.cost], {image: images, label: labels}))
print(sess.run(tf.trainable_variables()[0]).tolist())
