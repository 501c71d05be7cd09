# Gradients are accumulated over two runs into variables, then applied and set to zero.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.AdamOptimizer(0.1)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('acc', reuse=i > 0):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([.5, -.5]))
        b = tf.get_variable('b', [], initializer=tf.zeros_initializer())
        losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(x[i * 2:i * 2 + 2] * w, 1) + b - 1)))
        grads.append(opt.compute_gradients(losses[i]))
mean = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)]
sums = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for _, v in mean]
zero = [s.assign(tf.zeros_like(s)) for s in sums]
accumulate = [s.assign_add(g) for s, (g, _) in zip(sums, mean)]
apply_op = opt.apply_gradients([(s / 2.0, v) for s, (_, v) in zip(sums, mean)])
rng = np.random.RandomState(2)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(zero)
        for _ in range(2):
            values, _ = sess.run([losses, accumulate], {x: rng.randn(4, 2)})
            print(['%.9g' % v for v in values], [s.tolist() for s in sess.run(sums)])
        sess.run(apply_op)
        print(sess.run([w, b]))
