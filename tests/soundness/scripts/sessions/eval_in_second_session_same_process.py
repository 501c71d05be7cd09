# Training in one session; every epoch a checkpoint that a second graph and session evaluates.
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]


def inference(x, training):
    w = tf.get_variable('w', [2, 2], initializer=tf.glorot_uniform_initializer(seed=1))
    h = tf.matmul(x, w)
    return tf.nn.dropout(h, 0.5, seed=1) if training else h


def evaluate():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1, 2])
        out = inference(x, False)
        step = tf.train.get_or_create_global_step()
        saver = tf.train.Saver()
        with tf.Session() as sess:
            ckpt = tf.train.get_checkpoint_state(folder)
            if not (ckpt and ckpt.model_checkpoint_path):
                print('no checkpoint')
                return
            saver.restore(sess, ckpt.model_checkpoint_path)
            print('eval', sess.run(step), sess.run(out, {x: [[1, 2]]}).tolist())


evaluate()
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [4, 2])
    loss = tf.reduce_mean(tf.square(inference(x, True) - 1.0))
    step = tf.train.get_or_create_global_step()
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, step)
    saver = tf.train.Saver(max_to_keep=1)
    rng = np.random.RandomState(0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(3):
            for _ in range(2):
                print('%.9g' % sess.run([loss, train], {x: rng.randn(4, 2)})[0])
            saver.save(sess, folder + '/ck', global_step=step)
            evaluate()
