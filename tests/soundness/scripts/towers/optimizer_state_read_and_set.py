# Slots are read on the towers' devices, set to zero in between, and listed by opt.variables().
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.AdamOptimizer(0.1)
grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('q', reuse=i > 0):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.5))
        grads.append(opt.compute_gradients(tf.reduce_mean(tf.cosh(x[i * 2:i * 2 + 2] * w))))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
print(opt.get_slot_names(), [v.op.name for v in opt.variables()])
sums = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        sums.append(tf.reduce_sum(opt.get_slot(w, 'm')) + tf.reduce_sum(opt.get_slot(w, 'v')) * 100.0)
reset = tf.variables_initializer(opt.variables())
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(5):
        sess.run(train, {x: rng.randn(4, 2)})
        print(n, sess.run(sums), sess.run(w).tolist())
        if n == 2:
            sess.run(reset)
            print('reset', sess.run(sums), [sess.run(v).tolist() for v in opt.variables()])
