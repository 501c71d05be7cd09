# Only the graph's seed: dropout, uniform noise, truncated normal initialisers draw by their place in the graph.
import numpy as np
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(42)
    x = tf.placeholder(tf.float32, [4, 6])
    opt = tf.train.MomentumOptimizer(0.1, 0.5)
    grads, losses = [], []
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=i > 0):
            w = tf.get_variable('w', [6, 4], initializer=tf.truncated_normal_initializer())
            u = tf.get_variable('u', [4], initializer=tf.random_uniform_initializer(-1, 1))
            h = tf.nn.dropout(tf.nn.relu(tf.matmul(x[i * 2:i * 2 + 2], w)), 0.5)
            h += tf.random_uniform(tf.shape(h), 0, 0.1)
            losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(h * u, 1) - 1)))
            grads.append(opt.compute_gradients(losses[i]))
    train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
    init = tf.global_variables_initializer()
rng = np.random.RandomState(5)
with tf.Session(graph=graph, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(init)
    print(sess.run(w)[0].tolist(), sess.run(u).tolist())
    for _ in range(4):
        feed = {x: rng.rand(4, 6)}
        print(sess.run(losses + [train], feed)[:2])
        print(sess.run(losses, feed))
    print(sess.run(u).tolist())
