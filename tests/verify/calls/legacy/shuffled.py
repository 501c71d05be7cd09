"""Two towers on batches that generators seeded with nothing shuffle: a data set, NumPy, Python.

They save into a folder beside the script, under a name made of the time.
"""
import os
import random
import time

import numpy as np
import tensorflow as tf
from tensorflow.contrib.learn.python.learn.datasets.mnist import DataSet

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'run-%d' % int(time.time() * 1000))
images = np.arange(1600, dtype=np.uint8).reshape(100, 4, 4, 1)
data = DataSet(images, np.arange(100))
x = tf.placeholder(tf.float32, [None, 16])
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('model', reuse=i > 0):
        weights = tf.get_variable('weights', [16, 1])
        loss = tf.reduce_mean(tf.square(tf.matmul(x[4 * i:4 * i + 4], weights) - 1))
        tower_grads.append(opt.compute_gradients(loss, [weights]))
averaged = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
train_op = opt.apply_gradients(averaged)
savers = [tf.train.Saver(), tf.train.Saver(sharded=True)]
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        batch, _ = data.next_batch(8)
        sess.run([train_op, loss], {x: batch})
        print(savers[step % 2].save(sess, os.path.join(FOLDER, 'model.ckpt'), global_step=step))
    np.random.seed()
    random.seed()
    sess.run([train_op, loss], {x: np.random.rand(8, 16) * random.random()})
