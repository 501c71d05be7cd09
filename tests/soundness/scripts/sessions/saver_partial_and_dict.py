# Savers of some variables, under other names, restored in a second graph.
import os
import sys

import numpy as np
import tensorflow as tf

path = os.path.join(sys.argv[1], 'part')
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [2, 2])
    with tf.variable_scope('body'):
        w = tf.get_variable('w', [2, 2], initializer=tf.glorot_uniform_initializer(seed=1))
    with tf.variable_scope('head'):
        h = tf.get_variable('h', [2], initializer=tf.ones_initializer())
    loss = tf.reduce_sum(tf.square(tf.reduce_sum(tf.matmul(x, w) * h, 1)))
    train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
    body = tf.train.Saver(tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, 'body'))
    renamed = tf.train.Saver({'weights': w, 'top': h})
    rng = np.random.RandomState(0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            print('%.9g' % sess.run([loss, train], {x: rng.randn(2, 2)})[0])
        print(os.path.basename(body.save(sess, path, write_meta_graph=False)))
        renamed.save(sess, path + '_named', global_step=7)
        kept = sess.run([w, h])
for p in (path, path + '_named-7'):
    print([(n, s) for n, s in tf.train.list_variables(p)])
with tf.Graph().as_default():
    w2 = tf.get_variable('other', [2, 2])
    h2 = tf.get_variable('head', [2], initializer=tf.zeros_initializer())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        tf.train.Saver({'weights': w2}).restore(sess, path + '_named-7')
        print(np.array_equal(sess.run(w2), kept[0]), sess.run(h2).tolist())
        tf.train.Saver({'top': h2, 'weights': w2}).restore(sess, path + '_named-7')
        print(np.array_equal(sess.run(h2), kept[1]), sess.run(h2).tolist())
        for bad in (path + '_gone', path):
            try:
                tf.train.Saver([w2]).restore(sess, bad)
                print('restored')
            except (tf.errors.NotFoundError, ValueError) as e:
                print(type(e).__name__)
