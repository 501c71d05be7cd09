# The plain average is called on all towers, on one, and on gradients that were changed before; max and min beside it.
import numpy as np
import tensorflow as tf


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        average_grads.append((tf.reduce_mean(tf.concat(grads, 0), 0), grad_and_vars[0][1]))
    return average_grads


x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads, losses = [], []
for i in reversed(range(2)):
    with tf.device('/gpu:%d' % i), tf.variable_scope('t', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1.0, 2.0]))
        losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(x[i * 2:i * 2 + 2] * w, 1) - 1)))
        tower_grads.append(opt.compute_gradients(losses[-1]))
both = average_gradients(tower_grads)
one = average_gradients(tower_grads[:1])
again = average_gradients([both, one, both])
spread = tf.reduce_max(tf.stack([g[0][0] for g in tower_grads]), 0) - tf.reduce_min(tf.stack([g[0][0] for g in tower_grads]), 0)
train_both, train_one = opt.apply_gradients(both), opt.apply_gradients(one)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(4):
        feed = {x: rng.randn(4, 2)}
        print(['%.9g' % v for v in sess.run(losses, feed)], [sess.run(k[0][0], feed).tolist() for k in (both, one)])
        print(['%.5g' % v for v in sess.run(again[0][0], feed)], sess.run(spread, feed).tolist())
        sess.run(train_one if n % 2 else train_both, feed)
        print(sess.run(w).tolist())
