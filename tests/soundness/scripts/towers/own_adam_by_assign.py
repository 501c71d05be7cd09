# The script's own Adam: slots by tf.Variable, updates by tf.assign, grouped.
import numpy as np
import tensorflow as tf


def adam_updates(params, grads, lr=0.01, b1=0.9, b2=0.99):
    updates = []
    t = tf.Variable(1., trainable=False, name='adam_t')
    rate = lr * tf.sqrt(1. - tf.pow(b2, t)) / (1. - tf.pow(b1, t))
    steps = []
    for p, g in zip(params, grads):
        m = tf.Variable(tf.zeros(p.get_shape()), trainable=False, name=p.op.name + '_adam_m')
        v = tf.Variable(tf.zeros(p.get_shape()), trainable=False, name=p.op.name + '_adam_v')
        m_t = b1 * m + (1. - b1) * g
        v_t = b2 * v + (1. - b2) * tf.square(g)
        new = p - rate * m_t / (tf.sqrt(v_t) + 1e-8)
        steps.append((m, v, p, m_t, v_t, new))
    for m, v, p, m_t, v_t, new in steps:
        # of all variables: TF1 writes in place, and the gradient of one reads the other
        with tf.control_dependencies([value for step in steps for value in step[3:]]):
            updates += [m.assign(m_t), v.assign(v_t), p.assign(new)]
    with tf.control_dependencies(updates):
        return tf.group(t.assign_add(1.))


x = tf.placeholder(tf.float32, [4, 2])
losses, all_grads = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=i > 0):
        w = tf.get_variable('w', [2, 2], initializer=tf.constant_initializer([[1., .5], [-.5, 1.]]))
        g = tf.get_variable('g', [2], initializer=tf.constant_initializer([.1, .2]))
        losses.append(tf.reduce_mean(tf.square(tf.matmul(x[2 * i:2 * i + 2], w) * g - 1.)))
        all_grads.append(tf.gradients(losses[i], [w, g]))
with tf.device('/cpu:0'):
    for j in range(len(all_grads[0])):
        all_grads[0][j] = tf.add_n([all_grads[k][j] for k in range(2)]) / 2.
    train = adam_updates([w, g], all_grads[0])
rng = np.random.RandomState(14)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: rng.randn(4, 2)}
        print(sess.run(losses, feed))
        sess.run(train, feed)
    for v in tf.global_variables():
        print(v.op.name, sess.run(v).ravel().tolist())
