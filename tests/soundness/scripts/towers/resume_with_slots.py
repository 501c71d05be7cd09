# Training stops, is saved, and is resumed in a new graph: slots, step and schedule go on.
import os
import sys

import numpy as np
import tensorflow as tf


def build():
    x = tf.placeholder(tf.float32, [4, 2])
    y = tf.placeholder(tf.float32, [4])
    step = tf.train.get_or_create_global_step()
    opt = tf.train.AdamOptimizer(tf.train.exponential_decay(0.2, step, 3, 0.5))
    grads = []
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.variable_scope('model', reuse=i > 0):
            w = tf.get_variable('w', [2], initializer=tf.random_normal_initializer(seed=1))
            loss = tf.reduce_mean(tf.abs(tf.reduce_sum(x[i * 2:i * 2 + 2] * w, 1) - y[i * 2:i * 2 + 2]))
            grads.append(opt.compute_gradients(loss))
    train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)], step)
    return x, y, loss, train, step


def run(start, stop, restore):
    with tf.Graph().as_default():
        x, y, loss, train, step = build()
        saver = tf.train.Saver(max_to_keep=2)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            if restore:
                path = tf.train.latest_checkpoint(sys.argv[1])
                print('restoring', os.path.basename(path))
                saver.restore(sess, path)
            for n in range(start, stop):
                rng = np.random.RandomState(n)
                value, _ = sess.run([loss, train], {x: rng.randn(4, 2), y: rng.randn(4)})
                print(n, '%.9g' % value, sess.run(step))
                saver.save(sess, os.path.join(sys.argv[1], 'model.ckpt'), global_step=n)
            print([os.path.basename(p) for p in saver.last_checkpoints])
            print([(v.op.name, sess.run(v).tolist()) for v in tf.global_variables()])


run(0, 3, False)
run(3, 6, True)
run(0, 6, False)
