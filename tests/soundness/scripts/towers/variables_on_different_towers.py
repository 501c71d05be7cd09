# Each tower makes a variable that both use: variables on '/gpu:0' and on '/gpu:1'.
import numpy as np
import tensorflow as tf

made = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        made.append(tf.Variable(tf.ones([2]) * (i + 1), name='v%d' % i))
x = tf.placeholder(tf.float32, [2, 2])
opt = tf.train.MomentumOptimizer(0.05, 0.9)
losses, grads = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        losses.append(tf.reduce_sum(tf.square(x[i] * made[0] - made[1] * 0.5)))
        grads.append(opt.compute_gradients(losses[i], made))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
with tf.device('/gpu:1'):
    double = made[0].assign(made[1] * 2.0)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(4):
        print(['%.9g' % v for v in sess.run(losses + [train], {x: rng.randn(2, 2)})[:2]])
        if n == 2:
            print(sess.run(double).tolist())
        print([v.tolist() for v in sess.run(made)])
