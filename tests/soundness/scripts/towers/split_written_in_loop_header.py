# tf.split stands in the loop's header; names and random numbers that follow depend on how many operations there are.
import numpy as np
import tensorflow as tf

tf.set_random_seed(23)
x = tf.placeholder(tf.float32, [4, 3], name='x')
y = tf.placeholder(tf.float32, [4], name='y')
opt = tf.train.GradientDescentOptimizer(0.2)
grads, losses, names = [], [], []
for i, (px, py) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
    with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [3], initializer=tf.truncated_normal_initializer())
        noise = tf.random_normal(tf.shape(py), stddev=0.01)
        loss = tf.reduce_mean(tf.abs(tf.reduce_sum(px * w, 1) - py + noise))
        names += [px.op.name, py.op.name, noise.op.name]
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
print(names)
train = opt.apply_gradients([(tf.add_n([g for g, _ in p]) / 2, p[0][1]) for p in zip(*grads)])
after = tf.split(x, 2)
more = tf.random_uniform([2])
print(after[0].name, more.name, tf.Variable(1.0).name)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(w).tolist(), sess.run(more).tolist())
    for _ in range(4):
        print(sess.run(losses + [train], {x: rng.randn(4, 3), y: rng.randn(4)})[:2])
    print(sess.run(w).tolist())
