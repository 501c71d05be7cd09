# Moving averages of the weights beside the step, a checkpoint, its restore.
import os
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]
x = tf.placeholder(tf.float32, [4, 2])
global_step = tf.Variable(0, trainable=False, name='global_step')
opt = tf.train.MomentumOptimizer(0.1, 0.5)
xs = tf.split(x, 2)
tower_grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('model', reuse=tf.AUTO_REUSE):
            w = tf.get_variable('w', [2, 2], initializer=tf.glorot_normal_initializer(seed=5))
            loss = tf.reduce_sum(tf.square(tf.matmul(xs[i], w) - 1.0))
        tower_grads.append(opt.compute_gradients(loss))
grads = [(tf.reduce_mean([g for g, _ in pairs], 0), pairs[0][1]) for pairs in zip(*tower_grads)]
apply_op = opt.apply_gradients(grads, global_step=global_step)
averages = tf.train.ExponentialMovingAverage(0.9, global_step)
average_op = averages.apply(tf.trainable_variables())
train_op = tf.group(apply_op, average_op)
saver = tf.train.Saver(tf.global_variables())
init = tf.global_variables_initializer()
rng = np.random.RandomState(4)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
sess.run(init)
for step in range(4):
    _, value = sess.run([train_op, loss], {x: rng.randn(4, 2)})
    print(step, '%.9g' % value)
path = saver.save(sess, os.path.join(folder, 'model.ckpt'), global_step=4)
print(os.path.basename(path))
probe = rng.randn(4, 2)
print('%.9g' % sess.run(loss, {x: probe}))
sess.run(train_op, {x: probe})
saver.restore(sess, path)
print('%.9g' % sess.run(loss, {x: probe}), sess.run(global_step))
