# A py_func of each tower computes weights of the samples in NumPy; what it saw is printed.
import numpy as np
import tensorflow as tf

seen = []


def sample_weights(values):
    seen.append(values.shape)
    return (1.0 / (1.0 + np.abs(values))).astype(np.float32)


x = tf.placeholder(tf.float32, [6])
opt = tf.train.GradientDescentOptimizer(0.2)
m = tf.Variable(0.5, name='m')
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('t%d' % i):
        part = x[i * 3:i * 3 + 3]
        k = tf.py_func(sample_weights, [part], tf.float32, stateful=False)
        k.set_shape([3])
        losses.append(tf.reduce_sum(k * tf.square(part - m)))
        grads.append(opt.compute_gradients(losses[i]))
train = opt.apply_gradients([(tf.add_n([g for g, _ in p]) / 2, p[0][1]) for p in zip(*grads)])
rng = np.random.RandomState(9)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        print(sess.run([losses, train], {x: rng.randn(6)})[0], sess.run(m))
print(len(seen), sorted(set(seen)))
