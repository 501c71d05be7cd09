# Batch normalization by hand: its updates through UPDATE_OPS of the last tower, before the step; evaluation by them.
import numpy as np
import tensorflow as tf


def normalized(x, training):
    mean = tf.get_variable('mean', [3], initializer=tf.zeros_initializer(), trainable=False)
    variance = tf.get_variable('variance', [3], initializer=tf.ones_initializer(), trainable=False)
    if not training:
        return tf.nn.batch_normalization(x, mean, variance, None, None, 1e-3)
    batch_mean, batch_variance = tf.nn.moments(x, [0])
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(mean, (mean - batch_mean) * 0.1))
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(variance, (variance - batch_variance) * 0.1))
    return tf.nn.batch_normalization(x, batch_mean, batch_variance, None, None, 1e-3)


def logits_of(x, training):
    w = tf.get_variable('w', [3, 1], initializer=tf.ones_initializer())
    return tf.matmul(normalized(x, training), w)


x = tf.placeholder(tf.float32, [8, 3])
y = tf.placeholder(tf.float32, [8, 1])
opt = tf.train.GradientDescentOptimizer(0.2)
xs = tf.split(x, 2)
ys = tf.split(y, 2)
tower_grads = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i) as scope:
                loss = tf.reduce_mean(tf.square(logits_of(xs[i], True) - ys[i]))
                tf.get_variable_scope().reuse_variables()
                update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
                tower_grads.append(opt.compute_gradients(loss))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
with tf.control_dependencies(update_ops):
    train_op = opt.apply_gradients(grads)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    evaluated = tf.reduce_sum(logits_of(x, False))
rng = np.random.RandomState(3)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
sess.run(tf.global_variables_initializer())
for _ in range(5):
    feed = {x: rng.randn(8, 3) * 2 + 1, y: rng.randn(8, 1)}
    value, _ = sess.run([loss, train_op], feed)
    print('%.9g' % value, '%.7g' % sess.run(evaluated, feed))
