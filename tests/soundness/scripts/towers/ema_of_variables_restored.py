# Moving averages of the weights after each step; evaluation in a second graph from the shadow variables.
import os
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]


def net(x):
    w = tf.get_variable('w', [3, 1], initializer=tf.random_normal_initializer(seed=2))
    b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


def train():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4, 3])
        y = tf.placeholder(tf.float32, [4, 1])
        step = tf.train.get_or_create_global_step()
        opt = tf.train.MomentumOptimizer(0.1, 0.9)
        grads = []
        for i in range(2):
            with tf.device('/gpu:%d' % i), tf.variable_scope(tf.get_variable_scope(), reuse=i > 0):
                loss = tf.reduce_mean((net(x[i * 2:i * 2 + 2]) - y[i * 2:i * 2 + 2]) ** 2)
                grads.append(opt.compute_gradients(loss))
        mean = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)]
        apply_op = opt.apply_gradients(mean, step)
        averages = tf.train.ExponentialMovingAverage(0.99, step)
        with tf.control_dependencies([apply_op]):
            train_op = averages.apply(tf.trainable_variables())
        saver = tf.train.Saver()
        rng = np.random.RandomState(1)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(6):
                fed = {x: rng.randn(4, 3), y: rng.randn(4, 1)}
                print('%.9g' % sess.run([train_op, loss], fed)[1])
            for v in tf.trainable_variables():
                print(v.op.name, sess.run(v).ravel().tolist(), sess.run(averages.average(v)).ravel().tolist(),
                      averages.average_name(v))
            print(os.path.basename(saver.save(sess, os.path.join(folder, 'model'), global_step=step)))


def evaluate():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        out = net(x)
        averages = tf.train.ExponentialMovingAverage(0.99)
        names = averages.variables_to_restore()
        print(sorted(names))
        saver = tf.train.Saver(names)
        with tf.Session() as sess:
            state = tf.train.get_checkpoint_state(folder)
            saver.restore(sess, state.model_checkpoint_path)
            print(sess.run(out, {x: np.arange(6).reshape(2, 3)}).ravel().tolist())


train()
evaluate()
