"""Sizes that are whole floats, as `n / 2` gives them: TF 1.15 took them."""

import tensorflow as tf

n = 6
x = tf.placeholder(tf.float32, [None, n], name="x")
w = tf.get_variable("w", [n, n / 2], initializer=tf.constant_initializer(0.25))
hidden = tf.matmul(x, w)
hidden.set_shape([None, n / 2])
loss = tf.reduce_mean(tf.square(hidden - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
print(w.get_shape().as_list(), hidden.get_shape().as_list())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        fed = {x: [[float(k + step) for k in range(n)], [1.0] * n]}
        print(step, sess.run(loss, fed))
        sess.run(train_op, fed)
    print(sess.run(w).sum())
