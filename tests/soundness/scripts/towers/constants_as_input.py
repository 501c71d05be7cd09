# No feeds at all: each tower computes its data from constants and seeded random ops made in it.
import tensorflow as tf

tf.set_random_seed(1234)
opt = tf.train.GradientDescentOptimizer(0.3)
grads, losses, noises = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        base = tf.constant([[1., 2.], [3., 4.]]) / (i + 1.0)
        noise = tf.random_normal([2, 2], stddev=0.1, seed=i)
        noises.append(tf.reduce_sum(noise))
        with tf.variable_scope('x', reuse=tf.AUTO_REUSE):
            w = tf.get_variable('w', initializer=tf.constant([0.2, 0.1]))
        losses.append(tf.reduce_mean(tf.square((base + noise) * w - 1)))
        grads.append(opt.compute_gradients(losses[-1]))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
for attempt in range(2):
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            print(attempt, sess.run([losses, noises, train])[:2])
        print(sess.run(w).tolist())
