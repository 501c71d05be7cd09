# Helper functions for layers, a moving average of activations per tower kept by ExponentialMovingAverage(zero_debias).
import numpy as np
import tensorflow as tf


def linear(x, size, name, reuse):
    with tf.variable_scope(name, reuse=reuse):
        inputs = int(x.get_shape()[1])
        w = tf.get_variable('kernel', [inputs, size], initializer=tf.variance_scaling_initializer(seed=3))
        b = tf.get_variable('bias', [size], initializer=tf.zeros_initializer())
        return tf.matmul(x, w) + b


x = tf.placeholder(tf.float32, [6, 4])
opt = tf.train.GradientDescentOptimizer(0.1)
ema = tf.train.ExponentialMovingAverage(0.5, zero_debias=True)
grads, tracked, updates = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
        h = tf.nn.selu(linear(x[i::2], 3, 'l1', i > 0))
        out = linear(h, 1, 'l2', i > 0)
        mean_act = tf.reduce_mean(h, name='mean_act')
        with tf.variable_scope('stats', reuse=False):
            updates.append(ema.apply([mean_act]))
        tracked.append(mean_act)
        grads.append(opt.compute_gradients(tf.reduce_mean(tf.square(out))))
with tf.control_dependencies(updates):
    train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
shadows = [ema.average(t) for t in tracked]
print([s.op.name for s in shadows])
rng = np.random.RandomState(1)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        feed = {x: rng.randn(6, 4)}
        print(sess.run(tracked, feed))
        sess.run(train, feed)
        print(sess.run(shadows))
    print([float(np.abs(sess.run(v)).sum()) for v in tf.trainable_variables()])
