# Two optimizers by variable name: one for the weights, one for the biases, after the same average; grouped.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 3])
fast, slow = tf.train.MomentumOptimizer(0.2, 0.5), tf.train.GradientDescentOptimizer(0.01)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=i > 0):
        h = x[i * 2:(i + 1) * 2]
        for layer in range(2):
            with tf.variable_scope('layer%d' % layer):
                w = tf.get_variable('weights', [3, 3], initializer=tf.orthogonal_initializer(seed=layer))
                b = tf.get_variable('biases', [3], initializer=tf.constant_initializer(0.1 * layer))
                h = tf.nn.sigmoid(tf.matmul(h, w) + b)
        losses.append(tf.reduce_mean(tf.square(h - 0.7)))
        grads.append(fast.compute_gradients(losses[-1]))
mean = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)]
weights = [(g, v) for g, v in mean if 'weights' in v.name]
biases = [(g, v) for g, v in mean if 'biases' in v.name]
print(len(weights), len(biases))
with tf.control_dependencies([g for g, _ in mean]):
    train = tf.group(fast.apply_gradients(weights), slow.apply_gradients(biases))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        feed = {x: rng.randn(4, 3)}
        print(['%.9g' % v for v in sess.run(losses, feed)])
        sess.run(train, feed)
    for v in tf.global_variables():
        print(v.op.name, sess.run(v).ravel().tolist())
