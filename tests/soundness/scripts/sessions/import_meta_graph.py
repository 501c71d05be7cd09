# The graph is imported from its .meta; tensors found by name and in collections.
import os
import sys

import numpy as np
import tensorflow as tf

path = os.path.join(sys.argv[1], 'net')
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.get_variable('w', [2, 1], initializer=tf.constant_initializer([[1.], [2.]]))
    y = tf.matmul(x, w, name='y')
    loss = tf.reduce_mean((y - 1.0) ** 2, name='loss')
    train = tf.train.MomentumOptimizer(0.1, 0.5).minimize(loss, name='train')
    tf.add_to_collection('outputs', y)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(3):
            print(sess.run([loss, train], {x: [[i, 1.]]})[0])
        saver.save(sess, path)
with tf.Graph().as_default() as g:
    saver = tf.train.import_meta_graph(path + '.meta')
    with tf.Session() as sess:
        saver.restore(sess, path)
        print(sess.run('y:0', {'x:0': np.ones([2, 2])}).ravel().tolist())
        print(tf.get_collection('outputs')[0].name, [v.op.name for v in tf.trainable_variables()])
        for i in range(2):
            print(sess.run(['loss:0', g.get_operation_by_name('train')], {'x:0': [[i, 1.]]})[0])
        print(sess.run(tf.global_variables()[0]).ravel().tolist())
