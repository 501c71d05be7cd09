# Towers kept as namedtuples in a dictionary; fetches are nested dictionaries and tuples.
import collections

import numpy as np
import tensorflow as tf

Tower = collections.namedtuple('Tower', 'x loss grads stats')
towers = collections.OrderedDict()
opt = tf.train.AdagradOptimizer(0.2, initial_accumulator_value=0.5)
for i, letter in enumerate('ab'):
    with tf.device('/gpu:%d' % i), tf.variable_scope('shared', reuse=len(towers) > 0):
        x = tf.placeholder(tf.float32, [None, 2], name='x_' + letter)
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([2., -2.]))
        err = tf.reduce_sum(x * w, 1)
        loss = tf.reduce_mean(err ** 2)
        stats = {'min': tf.reduce_min(err), 'max': tf.reduce_max(err), 'range': (tf.size(err), tf.rank(err))}
        towers[letter] = Tower(x, loss, opt.compute_gradients(loss), stats)
pairs = zip(*[t.grads for t in towers.values()])
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in pairs])
fetches = {name: (t.loss, t.stats) for name, t in towers.items()}
rng = np.random.RandomState(8)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        feed = {t.x: rng.randn(3, 2) for t in towers.values()}
        out = sess.run(fetches, feed)
        for name in sorted(out):
            loss, stats = out[name]
            print(name, '%.9g' % loss, stats['min'], stats['max'], stats['range'])
        result = sess.run([train, towers['a']._replace(grads=w)], feed)
        print(result[0], type(result[1]).__name__, result[1].x.shape, '%.9g' % result[1].loss)
    print(sess.run(w).tolist())
