import numpy as np
import tensorflow as tf

POWER = 3
parts = []
more = []


def power(matrix, n):
    """The matrix, multiplied with itself."""
    if n <= 1:
        return matrix
    return tf.matmul(matrix, power(matrix, n - 1))


def scaled(matrix, by):
    return tf.multiply(power(matrix, 2), by)


random = np.random.RandomState(5)
A = random.rand(3, 3)
B = random.rand(3, 3)

with tf.device("/gpu:0"):
    a = tf.placeholder(tf.float32, [3, 3])
    b = tf.placeholder(tf.float32, [3, 3])
    parts.append(power(a, POWER))
    parts.append(scaled(b, 0.5))

with tf.device("/cpu:0"):
    sum = tf.add_n(parts)

with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    print(sess.run(sum, {a: A, b: B}))
    trace = sess.run(sum, {a: B, b: A})
    print(trace.sum())

with tf.device("/gpu:0"):
    a = tf.placeholder(tf.float32, [None, 3])
    more.append(tf.reduce_sum(a, 1))

with tf.device("/gpu:1"):
    b = tf.placeholder(tf.float32, [3])
    more.append(tf.square(b))

with tf.device("/cpu:0"):
    sum = tf.add_n(more)
    twice = sum * 2.0

with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    for step in range(3):
        print(step, sess.run([sum, twice], feed_dict={a: A + step, b: B[step]}))
    total = sess.run(sum, {a: B, b: A[0]})
print(total, total.dtype)
