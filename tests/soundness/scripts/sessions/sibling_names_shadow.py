# Local names that look like TensorFlow's: a function called Session, a variable called tf inside a function.
import numpy as np
import tensorflow as tf


class Session:
    def __init__(self, real):
        self.real, self.count = real, 0

    def run(self, *args, **kwargs):
        self.count += 1
        return self.real.run(*args, **kwargs)


def shadow(tf):
    return tf * 2


def placeholder(name):
    return tf.placeholder(tf.float32, [], name)


a, b = placeholder('a'), placeholder('b')
v = tf.Variable(1.0)
loss = (a * v + b) ** 2
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
real = tf.Session()
sess = Session(real)
sess.run(tf.global_variables_initializer())
for i in range(4):
    print(sess.run([loss, train], {a: shadow(i), b: 1.0})[0], sess.run(v))
print(sess.count, isinstance(sess, tf.Session), isinstance(real, tf.Session), shadow(21))
