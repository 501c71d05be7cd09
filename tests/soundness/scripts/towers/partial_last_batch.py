# Batches of changing sizes, parts by tf.shape; the last one has fewer rows for the second tower.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
n = tf.shape(x)[0]
first = (n + 1) // 2
opt = tf.train.MomentumOptimizer(0.1, 0.9)
grads, losses, sizes = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('var', reuse=tf.AUTO_REUSE):
        part = x[:first] if i == 0 else x[first:]
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1.0, -0.5]))
        loss = tf.reduce_sum(tf.square(tf.reduce_sum(part * w, 1) - 0.25))
        losses.append(loss)
        sizes.append(tf.shape(part)[0])
        grads.append(opt.compute_gradients(loss))
scale = 1.0 / tf.cast(n, tf.float32)
train = opt.apply_gradients([(tf.add_n([g for g, _ in p]) * scale, p[0][1]) for p in zip(*grads)])
data = np.random.RandomState(0).randn(13, 2)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for start in range(0, 13, 5):
        values, counts, _ = sess.run([losses, sizes, train], {x: data[start:start + 5]})
        print(['%.9g' % v for v in values], [int(c) for c in counts])
    print(sess.run(w).tolist())
