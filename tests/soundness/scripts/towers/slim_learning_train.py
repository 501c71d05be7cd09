# slim.learning.create_train_op and train: batch norm's updates of one tower, multiplied and clipped gradients, a step of one's own,
# a second training that resumes from the first one's checkpoint.
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim

rng = np.random.RandomState(3)
points = rng.rand(8, 3).astype(np.float32)
values = points.sum(1, keepdims=True).astype(np.float32)
logdir = os.path.join(sys.argv[1], 'slim')


def net(x):
    with slim.arg_scope([slim.fully_connected], weights_regularizer=slim.l2_regularizer(0.01),
                        weights_initializer=tf.constant_initializer(0.3)):
        hidden = slim.fully_connected(x, 4, scope='hidden', normalizer_fn=slim.batch_norm,
                                      normalizer_params={'decay': 0.8, 'updates_collections': tf.GraphKeys.UPDATE_OPS})
        return slim.fully_connected(hidden, 1, activation_fn=None, scope='out')


def train(steps, **options):
    printed = []

    def step(sess, train_op, global_step, arguments):
        loss, stop = slim.learning.train_step(sess, train_op, global_step, arguments)
        printed.append('%d %.9g %s' % (sess.run(global_step), loss, bool(stop)))
        return loss, stop

    with tf.Graph().as_default():
        tf.train.create_global_step()
        xs, ys = tf.constant(points), tf.constant(values)
        losses = []
        with tf.variable_scope(tf.get_variable_scope()):
            for k in range(2):
                with tf.device('/gpu:%d' % k), tf.name_scope('clone_%d' % k):
                    part = slice(4 * k, 4 * k + 4)
                    losses.append(tf.reduce_mean(tf.square(net(xs[part]) - ys[part])))
                    tf.get_variable_scope().reuse_variables()
        total = tf.add_n(losses) / 2 + tf.add_n(tf.losses.get_regularization_losses())
        tf.summary.scalar('total', total)
        train_op = slim.learning.create_train_op(
            total, tf.train.MomentumOptimizer(0.05, 0.9), clip_gradient_norm=2.0,
            update_ops=tf.get_collection(tf.GraphKeys.UPDATE_OPS, 'clone_0'),
            gradient_multipliers={'out/biases': 0.5})
        print(train_op.op.type, len(tf.get_collection(tf.GraphKeys.TRAIN_OP)))
        last = slim.learning.train(train_op, logdir, train_step_fn=step, number_of_steps=steps, log_every_n_steps=2,
                                   save_summaries_secs=0, save_interval_secs=0, **options)
        print('\n'.join(printed))
        print('last %.9g' % last)


train(4)
train(6, init_fn=lambda sess: print('not when it resumes'))
reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(logdir))
for name in sorted(reader.get_variable_to_shape_map()):
    print(name, ' '.join('%.9g' % number for number in reader.get_tensor(name).ravel()))
try:
    with tf.Graph().as_default():
        slim.learning.train(tf.constant(1.0), None, summary_op=tf.constant(''))
except ValueError as error:
    print(error)
