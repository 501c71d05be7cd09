# The gradients are summed, not averaged: the learning rate is divided by hand.
import numpy as np
import tensorflow as tf


def _sum_gradients(tower_grads):
    return [(tf.add_n([g for g, _ in gv]), gv[0][1]) for gv in zip(*tower_grads)]


k = tf.placeholder(tf.float32, [2, 5])
rate = tf.placeholder(tf.float32, [], name='rate')
opt = tf.train.MomentumOptimizer(rate / 2, 0.9)
v = tf.Variable(tf.linspace(-1., 1., 5), name='v')
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        losses.append(tf.reduce_sum(tf.exp(-v * k[i])))
        grads.append(opt.compute_gradients(losses[i]))
train = opt.apply_gradients(_sum_gradients(grads))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        feed = {k: rng.rand(2, 5), rate: 0.1 / (i + 1)}
        a, b, _ = sess.run(losses + [train], feed)
        print('%.9g %.9g' % (a, b))
    print(sess.run(v).tolist())
    print(sess.run(opt.get_slot(v, 'momentum')).tolist(), opt.get_slot_names())
