# The default graph is reset between two trainings; names begin anew.
import numpy as np
import tensorflow as tf


def train(rate):
    tf.reset_default_graph()
    tf.set_random_seed(5)
    x = tf.placeholder(tf.float32, [2, 2])
    w = tf.Variable(tf.truncated_normal([2, 2]))
    b = tf.Variable(tf.zeros([2]))
    loss = tf.reduce_mean(tf.abs(tf.matmul(x, w) + b))
    op = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    rng = np.random.RandomState(0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            _, value = sess.run([op, loss], {x: rng.randn(2, 2)})
        print(rate, '%.9g' % value, w.name, b.name, loss.name)
        return sess.run([w, b])


for rate in (0.1, 0.2, 0.1):
    w, b = train(rate)
    print(w.tolist(), b.tolist())
