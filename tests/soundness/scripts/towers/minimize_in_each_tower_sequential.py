# Not averaged: each tower's own minimize, the second after the first (a chain of control dependencies).
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 3])
w = tf.get_variable('w', [3], initializer=tf.constant_initializer(0.5))
step = tf.train.get_or_create_global_step()
previous, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.control_dependencies(previous):
        loss = tf.square(tf.reduce_sum(x[i] * w.read_value()) - 1.0)
        opt = tf.train.GradientDescentOptimizer(0.1 / (i + 1))
        gv = opt.compute_gradients(loss, [w])
        losses.append(loss)
        previous = [opt.apply_gradients(gv, step)]
train = tf.group(*previous)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        values, _ = sess.run([losses, train], {x: rng.randn(2, 3)})
        print(['%.9g' % v for v in values], sess.run(step), sess.run(w).tolist())
