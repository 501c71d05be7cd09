# Fetches nested in lists, tuples, dictionaries, namedtuples; the same tensor twice; operations give None.
import collections

import numpy as np
import tensorflow as tf

Point = collections.namedtuple('Point', ['loss', 'weights', 'op'])
x = tf.placeholder(tf.float32, [3])
w = tf.get_variable('w', initializer=tf.constant([1., 2., 3.]))
loss = tf.tensordot(x, w, 1)
with tf.control_dependencies([loss]):
    train = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(tf.gradients(loss, w)[0] * 1.0, w)])
rng = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        r = sess.run({'a': [loss, (x, loss)], 'b': {'c': loss}, 'd': (loss,)}, {x: rng.rand(3)})
        print(sorted(r), r['a'][0], type(r['a'][1]).__name__, r['a'][1][0].tolist(), r['b']['c'], r['d'])
        p = sess.run(Point(loss, w, train.name), {x: rng.rand(3)})
        print(type(p).__name__, p.loss, p.op)
        print(sess.run(w).tolist())
    print(sess.run([]), sess.run({}), sess.run([[], [loss, loss]], {x: np.ones(3)}))
    print(sess.run(train, {x: np.ones(3)}), sess.run([train], {x: np.zeros(3)}))
    od = sess.run(collections.OrderedDict([('z', loss), ('a', w)]), {x: np.ones(3)})
    print(type(od).__name__, list(od), od['z'])
    try:
        sess.run(None)
    except TypeError as e:
        print('TypeError', str(e)[:40])
    try:
        sess.run([1.5])
    except TypeError as e:
        print('TypeError', 'Fetch argument' in str(e))
