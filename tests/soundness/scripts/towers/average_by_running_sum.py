# The average written as a running sum with tf.multiply; towers in a dictionary; nested function.
import numpy as np
import tensorflow as tf


def make_average(n):
    def average(tower_grads):
        result = []
        for group in zip(*tower_grads):
            total = None
            for g, _ in group:
                total = g if total is None else tf.add(total, g)
            result.append((tf.multiply(total, 1.0 / n, name=group[0][1].op.name + '_mean'), group[0][1]))
        return result
    return average


x = tf.placeholder(tf.float32, [8, 2])
opt = tf.train.MomentumOptimizer(0.05, 0.8)
by_name = {}
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('w', reuse=i > 0):
        w = tf.get_variable('w', [2, 2], initializer=tf.initializers.identity())
        b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
        out = tf.nn.leaky_relu(tf.nn.bias_add(tf.matmul(x[i * 4:(i + 1) * 4], w), b))
        by_name['tower_%d' % i] = (tf.reduce_mean((out - 0.5) ** 2), out)
grads = [opt.compute_gradients(by_name[k][0]) for k in sorted(by_name)]
train = opt.apply_gradients(make_average(2)(grads))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        out, _ = sess.run([by_name, train], {x: rng.randn(8, 2)})
        print(sorted(out), '%.9g' % out['tower_0'][0], out['tower_1'][1].sum())
    print(sess.run([w, b]))
