# Towers that are built after the first steps: an evaluation on two GPUs of a model that one GPU has trained, then both train.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.MomentumOptimizer(0.05, 0.5)


def tower(i, part):
    with tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([.5, -1.]))
        b = tf.get_variable('b', [], initializer=tf.zeros_initializer())
        return tf.reduce_mean((tf.reduce_sum(part * w, 1) + b - 1.) ** 2), w, b


loss, w, b = tower(0, x)
step = opt.minimize(loss)
rng = np.random.RandomState(3)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        print('%.9g' % sess.run(loss, {x: rng.randn(4, 2)}))
        sess.run(step, {x: rng.randn(4, 2)})
    losses = [tower(i, x[i * 2:i * 2 + 2])[0] for i in range(2)]
    feed = {x: rng.randn(4, 2)}
    print(['%.9g' % v for v in sess.run(losses, feed)])
    sess.run(step, feed)
    print(['%.9g' % v for v in sess.run(losses, feed)])
    grads = [opt.compute_gradients(v, [w, b]) for v in losses]
    both = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
    for _ in range(3):
        sess.run(both, feed)
        print(['%.9g' % v for v in sess.run(losses, feed)], '%.9g' % sess.run(loss, feed))
        sess.run(step, feed)
    print(sess.run([w, b]))
