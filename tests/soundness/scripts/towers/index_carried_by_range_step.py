# range with a step, devices taken modulo, slices by the loop variable.
import numpy as np
import tensorflow as tf

B = 2
x = tf.placeholder(tf.float32, [8, 3])
y = tf.placeholder(tf.float32, [8])
opt = tf.train.GradientDescentOptimizer(tf.placeholder_with_default(0.1, [], 'lr'))
pairs, losses = [], []
for begin in range(0, 8, B):
    with tf.device('/gpu:%d' % (begin // B % 2)), tf.variable_scope('lin', reuse=begin != 0):
        w = tf.get_variable('w', [3], initializer=tf.constant_initializer(0.3))
        loss = tf.reduce_mean((tf.reduce_sum(x[begin:begin + B] * w, 1) - y[begin:begin + B]) ** 2)
        losses.append(loss)
        pairs.append(opt.compute_gradients(loss))
mean = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*pairs)]
train = opt.apply_gradients(mean)
rng = np.random.RandomState(1)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for k in range(4):
        out = sess.run(losses + [train], {x: rng.randn(8, 3), y: rng.randn(8), 'lr:0': 0.2 / (k + 1)})
        print(['%.6g' % v for v in out[:-1]])
    print(['%.6g' % v for v in sess.run(w)])
