"""Two towers that save into a folder beside the script, under a name made of the time."""
import os
import time

import tensorflow as tf

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'run-%d' % int(time.time() * 1000))
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('model', reuse=i > 0):
        weights = tf.get_variable('weights', [4, 1])
        loss = tf.reduce_mean(tf.square(weights - i))
        tower_grads.append(opt.compute_gradients(loss, [weights]))
averaged = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
train_op = opt.apply_gradients(averaged)
savers = [tf.train.Saver(), tf.train.Saver(sharded=True)]
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        sess.run([train_op, loss])
        print(savers[step % 2].save(sess, os.path.join(FOLDER, 'model.ckpt'), global_step=step))
