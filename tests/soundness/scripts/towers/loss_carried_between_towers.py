# The second tower uses what the first one made: a loss carried from one tower to the next.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.GradientDescentOptimizer(0.1)
carried = tf.constant(0.0)
grads, seen = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('c', reuse=i > 0):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([0.3, 0.6]))
        own = tf.reduce_mean(tf.square(tf.reduce_sum(x[2 * i:2 * i + 2] * w, 1) - 1))
        loss = own + 0.1 * carried
        carried = loss
        seen.append(loss)
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
with tf.control_dependencies([train]):
    after = w.read_value()
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        out, new = sess.run([seen, after], {x: rng.randn(4, 2)})
        print(['%.8g' % v for v in out], new.tolist())
    print(sess.run(w).tolist())
