# A weight that both towers read is written in every way there is: both always see it.
import os
import sys

import numpy as np
import tensorflow as tf

w = tf.get_variable('w', [3, 2], initializer=tf.constant_initializer(np.arange(6).reshape(3, 2)))
b = tf.Variable(0.5, name='b')
reads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        reads.append(tf.reduce_sum(w * [[1., 2.], [3., 4.], [5., 6.]]) + b)
value = tf.placeholder(tf.float32, [3, 2])
with tf.device('/gpu:1'):
    on_second = w.assign_sub(tf.ones([3, 2]) * b)
ops = [
    ('assign', w.assign(value)), ('add', tf.assign_add(w, value)), ('second', on_second),
    ('scatter_add', tf.scatter_add(w, [0, 2], [[1., 1.], [2., 2.]])),
    ('scatter_update', tf.scatter_update(w, [1], [[7., 7.]])),
    ('scatter_nd', tf.scatter_nd_update(w, [[2, 1]], [11.])),
    ('slice', w[0, 1].assign(3.5)), ('b', b.assign_add(0.25)), ('init', w.initializer),
]
saver = tf.train.Saver()
feed = {value: np.ones([3, 2]) * 0.5}
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    path = saver.save(sess, os.path.join(sys.argv[1], 'm'))
    for name, op in ops:
        sess.run(op, feed)
        print(name, sess.run(reads), sess.run(w).ravel().tolist())
    w.load(np.full([3, 2], 2.0), sess)
    print('load', sess.run(reads))
    saver.restore(sess, path)
    print('restored', sess.run(reads), sess.run(b))
    sess.run(tf.variables_initializer([b]))
    print(sess.run(reads))
