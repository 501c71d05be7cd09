# scatter_update, scatter_add, scatter_sub, scatter_nd_update on a table of counters and of weights.
import numpy as np
import tensorflow as tf

table = tf.get_variable('table', [4, 2], initializer=tf.zeros_initializer())
hits = tf.get_variable('hits', [4], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
ids = tf.placeholder(tf.int32, [None])
count = tf.scatter_add(hits, ids, tf.ones_like(ids))
with tf.control_dependencies([count]):
    rows = tf.gather(table, ids)
    loss = tf.reduce_sum((rows - 1.0) ** 2)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
setter = tf.scatter_update(table, [0, 3], [[5., 5.], [7., 7.]])
lower = tf.scatter_sub(table, tf.constant([3]), [[1., 2.]])
one = tf.scatter_nd_update(table, [[1, 1]], [42.0])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for batch in ([0, 1], [1, 2], [1]):
        print(sess.run([loss, train], {ids: batch})[0], sess.run(hits).tolist())
    print(sess.run(table).tolist())
    print(sess.run(setter).tolist())
    print(sess.run(lower)[3].tolist(), sess.run(one)[1].tolist())
    print(sess.run(table).sum(), sess.run(count, {ids: [3, 3]}).tolist())
