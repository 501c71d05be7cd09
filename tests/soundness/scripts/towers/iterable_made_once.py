# What the loop goes over is made by a call that counts, names tensors and takes from a generator: once, no more.
import numpy as np
import tensorflow as tf

tf.set_random_seed(31)
calls = []


def parts(x, n):
    calls.append(n)
    return tf.split(x, n, name='parts')


def ticks():
    k = 0
    while True:
        yield k
        k += 1


x = tf.placeholder(tf.float32, [4, 2])
numbers = ticks()
opt = tf.train.GradientDescentOptimizer(0.1)
grads, losses = [], []
for i, part in enumerate(parts(x, 2)):
    with tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=i > 0):
        w = tf.get_variable('w', [2], initializer=tf.random_normal_initializer())
        losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(tf.nn.dropout(part, 0.5) * w, 1) - 1)))
        grads.append(opt.compute_gradients(losses[-1]))
    print(i, part.name, losses[-1].name)
print(calls, next(numbers))
more = []
for d, n in zip(('/gpu:0', '/gpu:1'), numbers):
    with tf.device(d):
        more.append(tf.reduce_sum(w) * n)
print(next(numbers), [m.name for m in more])
remaining = iter(['/gpu:0', '/gpu:1'])
for device in remaining:
    with tf.device(device):
        more.append(tf.random_uniform([]))
print(list(remaining), len(more))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        print(sess.run(losses + [train], {x: rng.randn(4, 2)})[:2], sess.run(more))
    print(sess.run(w).tolist())
