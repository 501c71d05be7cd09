"""`tf.parallel_stack` of what is fed, and variables and their slices that are fetched beside an update."""

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [3])
unit = tf.get_variable("unit", initializer=[0.5])
rows = tf.get_variable("rows", initializer=np.arange(64, dtype=np.float32).reshape(4, 16))
stacked = tf.parallel_stack([x, 2.0 * x, tf.fill([3], 1.5)])
loss = tf.reduce_sum(tf.square(tf.stack([x, 2.0 * x]))) * unit[0] + tf.reduce_mean(tf.square(rows))
train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        feeds = {x: np.arange(3, dtype=np.float32) + step}
        print(sess.run(stacked, feeds).tolist())
        values = sess.run([train_op, unit[:], tf.reshape(unit, [1, 1])[0], rows[1], rows[2:3]], feeds)[1:]
        print([value.ravel()[:2].tolist() for value in values])
