# Variables in nested containers fetched whole; scalars compared in Python; loops over collections build the step.
import numpy as np
import tensorflow as tf

params = {'enc': [tf.Variable(tf.ones([2]) * k, name='e%d' % k) for k in range(3)], 'dec': (tf.Variable(0.5, name='d'),)}
flat = params['enc'] + list(params['dec'])
x = tf.placeholder(tf.float32, [2])
h = x
for p in flat:
    h = tf.tanh(h * p + 0.1)
loss = tf.reduce_sum(h)
gs = tf.gradients(loss, flat)
with tf.control_dependencies(gs):
    updates = [p.assign_sub(0.1 * g) for p, g in zip(flat, gs)]
with tf.Session() as sess:
    sess.run([v.initializer for v in flat])
    for _ in range(3):
        print('%.9g' % sess.run(loss, {x: [1., -1.]}))
        sess.run(updates, {x: [1., -1.]})
    out = sess.run(params)
    print(sorted(out), [v.tolist() for v in out['enc']], out['dec'])
    print(sess.run(flat[-1]) > 0.4, sess.run(tf.stack([tf.reduce_sum(p) for p in flat])).tolist())
