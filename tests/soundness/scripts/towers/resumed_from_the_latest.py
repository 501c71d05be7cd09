# Resumed from the latest checkpoint, whose number says where: in the same session, and where there is none yet.
import os

import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer('num_gpus', 2, 'towers')
tf.app.flags.DEFINE_integer('steps', 6, 'steps')


def tower_loss(x, y):
    with tf.variable_scope('net'):
        w = tf.get_variable('w', [4, 1], initializer=tf.glorot_uniform_initializer(seed=3))
        b = tf.get_variable('b', [1], initializer=tf.constant_initializer(0.1))
    return tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))


def average(grads):
    result = []
    for pairs in zip(*grads):
        result.append((tf.add_n([g for g, _ in pairs]) / len(pairs), pairs[0][1]))
    return result


def train():
    with tf.Graph().as_default(), tf.device('/cpu:0'):
        global_step = tf.get_variable('global_step', [], initializer=tf.constant_initializer(0), trainable=False)
        rate = tf.train.exponential_decay(0.1, global_step, 2, 0.5, staircase=True)
        opt = tf.train.MomentumOptimizer(rate, 0.9)
        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.placeholder(tf.float32, [None, 1])
        xs = tf.split(x, FLAGS.num_gpus)
        ys = tf.split(y, FLAGS.num_gpus)
        grads = []
        losses = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(FLAGS.num_gpus):
                with tf.device('/gpu:%d' % i):
                    with tf.name_scope('tower_%d' % i):
                        loss = tower_loss(xs[i], ys[i])
                        losses.append(loss)
                        tf.get_variable_scope().reuse_variables()
                        grads.append(opt.compute_gradients(loss))
        mean_loss = tf.reduce_mean(tf.stack(losses))
        train_op = opt.apply_gradients(average(grads), global_step=global_step)
        saver = tf.train.Saver(max_to_keep=2)
        init = tf.global_variables_initializer()
        sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
        sess.run(init)
        rng = np.random.RandomState(1)
        latest = tf.train.latest_checkpoint('logs')
        if latest is not None:
            saver.restore(sess, latest)
        print('begun', latest)
        for step in range(FLAGS.steps):
            _, value = sess.run([train_op, mean_loss], {x: rng.randn(6, 4), y: rng.randn(6, 1)})
            print('%.9g' % value)
            if step % 2 == 0:
                saver.save(sess, os.path.join('logs', 'model'), global_step=step)
        state = tf.train.get_checkpoint_state('logs')
        if state and state.model_checkpoint_path:
            saver.restore(sess, state.model_checkpoint_path)
            print('back to', state.model_checkpoint_path.split('-')[-1], list(state.all_model_checkpoint_paths))
        saver.restore(sess, tf.train.latest_checkpoint('logs'))
        print(sess.run(global_step), '%.9g' % sess.run(rate))
        sess.close()


def main(_):
    train()


if __name__ == '__main__':
    tf.app.run()
