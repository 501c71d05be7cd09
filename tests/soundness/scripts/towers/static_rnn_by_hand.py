# A recurrent cell written by hand, unrolled in Python; the state is carried in a variable of each tower.
import numpy as np
import tensorflow as tf

T, H = 3, 2


def cell(x, h):
    w = tf.get_variable('w', [1 + H, H], initializer=tf.random_uniform_initializer(-.5, .5, seed=6))
    b = tf.get_variable('b', [H], initializer=tf.zeros_initializer())
    return tf.tanh(tf.matmul(tf.concat([x, h], 1), w) + b)


series = tf.placeholder(tf.float32, [4, T + 1, 1])
opt = tf.train.AdamOptimizer(0.05)
grads, losses, keep, states = [], [], [], []
for i, part in enumerate(tf.split(series, 2)):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
        state = tf.Variable(tf.zeros([2, H]), trainable=False, name='state')
        states.append(state)
        with tf.variable_scope('rnn', reuse=tf.AUTO_REUSE):
            h = state
            for t in range(T):
                h = cell(part[:, t], h)
            v = tf.get_variable('v', [H, 1], initializer=tf.ones_initializer())
            loss = tf.reduce_mean(tf.square(tf.matmul(h, v) - part[:, T]))
        losses.append(loss)
        gv = opt.compute_gradients(loss)
        grads.append(gv)
        with tf.control_dependencies([g for g, _ in gv]):
            keep.append(tf.assign(state, h))
with tf.control_dependencies(keep):
    train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
r = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        values, _ = sess.run([losses, train], {series: r.rand(4, T + 1, 1)})
        print(['%.9g' % v for v in values], [s.tolist() for s in sess.run(states)])
    print([(v.op.name, sess.run(v).ravel().tolist()) for v in tf.trainable_variables()])
