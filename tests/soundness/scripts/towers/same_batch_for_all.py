# The same tensors are handed to both towers (a mistake people make): both compute the same.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 3])
y = tf.placeholder(tf.float32, [4])
opt = tf.train.AdamOptimizer(0.1)
tower_grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        w = tf.get_variable('w', [3], initializer=tf.constant_initializer(0.1))
        b = tf.get_variable('b', [], initializer=tf.constant_initializer(0.0))
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) + b - y))
        losses.append(loss)
        tf.get_variable_scope().reuse_variables()
        tower_grads.append(opt.compute_gradients(loss))
with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
    train = opt.apply_gradients(
        [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*tower_grads)])
rng = np.random.RandomState(0)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
sess.run(tf.global_variables_initializer())
for _ in range(5):
    feed = {x: rng.randn(4, 3), y: rng.randn(4)}
    a, c, _ = sess.run(losses + [train], feed)
    print('%.9g' % a, a == c)
print(sess.run([w, b]))
print(sess.run([losses[0] - losses[1], tf.equal(losses[0], losses[1])], feed))
