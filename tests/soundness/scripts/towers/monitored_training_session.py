# Towers in a MonitoredTrainingSession that stops by a hook; checkpoints; started again it goes on.
import sys

import numpy as np
import tensorflow as tf


def run(last_step):
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [4, 2])
        step = tf.train.get_or_create_global_step()
        opt = tf.train.MomentumOptimizer(0.1, 0.9)
        grads, losses = [], []
        for i in range(2):
            with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=i > 0):
                w = tf.get_variable('w', [2, 1], initializer=tf.random_normal_initializer())
                losses.append(tf.reduce_mean(tf.square(tf.matmul(x[i * 2:i * 2 + 2], w) - 1)))
                grads.append(opt.compute_gradients(losses[i]))
        train = opt.apply_gradients(
            [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)], step)
        hooks = [tf.train.StopAtStepHook(last_step=last_step), tf.train.NanTensorHook(tf.reduce_sum(w))]
        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=sys.argv[1], hooks=hooks, save_summaries_steps=None, save_summaries_secs=None,
                log_step_count_steps=None, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            at = sess.run(step)
            print('begins at', at)
            while not sess.should_stop():
                feed = {x: np.random.RandomState(at).randn(4, 2)}
                values = sess.run(losses, feed)
                sess.run(train, feed)
                at += 1
                print(at, values)


run(3)
run(6)
reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(sys.argv[1]))
for name in sorted(reader.get_variable_to_shape_map()):
    print(name, reader.get_tensor(name).ravel().tolist())
