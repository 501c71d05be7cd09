# Guards on the index of several kinds: `if i == 0`, `if not i`, `i != N - 1`, a conditional expression.
import os
import sys

import numpy as np
import tensorflow as tf

N = 2
x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.RMSPropOptimizer(0.05)
grads, kept, last = [], {}, None
for i in range(N):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('g', reuse=(None if i == 0 else True)):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.8))
            loss = tf.reduce_mean(tf.square(x[2 * i:2 * i + 2] * w - 1))
        if not i:
            kept['first'] = loss
        if i != N - 1:
            kept['not last'] = tf.reduce_sum(w)
        else:
            last = loss
        rate = 1.0 if i == 0 else 0.5
        grads.append([(g * rate, v) for g, v in opt.compute_gradients(loss)])
mean = [(tf.add_n([g for g, _ in p]) / N, p[0][1]) for p in zip(*grads)]
train = opt.apply_gradients(mean)
saver = tf.train.Saver(tf.trainable_variables())
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        feed = {x: rng.randn(4, 2)}
        print(sorted(sess.run(kept, feed).items()), sess.run(last, feed))
        sess.run(train, feed)
    path = saver.save(sess, os.path.join(sys.argv[1], 'w.ckpt'))
    sess.run(w.assign([0., 0.]))
    saver.restore(sess, path)
    print(sess.run(w).tolist(), os.path.basename(path))
