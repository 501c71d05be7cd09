# What scripts catch: uninitialised variables, wrong shapes, missing feeds, other dtypes, an empty graph.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 3], name='x')
n = tf.placeholder(tf.int32, [], name='n')
w = tf.get_variable('w', [3], initializer=tf.ones_initializer())
loss = tf.reduce_mean(x * w) / tf.cast(n, tf.float32)
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
whole = tf.floordiv(7, n)


def attempt(name, *args, **kwargs):
    try:
        print(name, 'gave', sess.run(*args, **kwargs))
    except (tf.errors.OpError, ValueError, TypeError, RuntimeError) as e:
        code = e.error_code if isinstance(e, tf.errors.OpError) else '-'
        print(name, type(e).__name__, code)


ones = np.ones([2, 3])
with tf.Session() as sess:
    attempt('uninitialised', w)
    attempt('uninitialised train', train, {x: ones, n: 1})
    sess.run(tf.global_variables_initializer())
    attempt('shape', loss, {x: np.ones([3, 2]), n: 1})
    attempt('rank', loss, {x: np.ones([2, 3, 1]), n: 1})
    attempt('no feed', loss, {n: 1})
    attempt('no feed at all', train)
    attempt('float for int', loss, {x: ones, n: 1.5})
    attempt('a tensor fed', loss, {x: tf.ones([2, 3]), n: 1})
    attempt('unknown key', loss, {'y:0': 1})
    attempt('a list', [1, 2])
    attempt('by zero', whole, {n: 0})
    attempt('fine', [loss, whole], {x: ones, n: 2})
    sess.run(train, {x: ones, n: 2})
    attempt('after', w)
with tf.Graph().as_default(), tf.Session() as sess:
    attempt('empty graph', 'w:0')
    attempt('empty list', [])
    try:
        sess.run()
    except TypeError:
        print('TypeError for nothing')
