# What is fed: lists, scalars, ints, bools, strings, arrays of other dtypes, non-contiguous arrays, empty ones.
import numpy as np
import tensorflow as tf

f = tf.placeholder(tf.float32, name='f')
i = tf.placeholder(tf.int32, [None], name='i')
b = tf.placeholder(tf.bool, [], name='b')
s = tf.placeholder(tf.string, [None], name='s')
d = tf.placeholder_with_default(np.float64(2.5), [], name='d')
h = tf.placeholder(tf.uint8, [None], name='h')
total = tf.reduce_sum(f)
rank = tf.rank(f)
text = tf.strings.reduce_join(s, separator='+')
with tf.Session() as sess:
    for value in (1, 2.5, [1, 2], [[1.0], [2.0]], np.arange(6).reshape(2, 3)[:, ::2], np.float64(3), np.zeros([0, 4]), True):
        print(sess.run([total, rank], {f: value}))
    print(sess.run(i, {i: np.array([1, 2], np.int64)}).dtype, sess.run(i, {i: []}).shape, sess.run(i, {i: (3, 4)}).tolist())
    print(sess.run(tf.logical_not(b), {b: False}), sess.run(tf.logical_not(b), {b: np.bool_(True)}))
    print(sess.run(text, {s: ['a', b'b', 'c']}), sess.run(text, {s: np.array(['x', 'yy'])}), sess.run(text, {s: np.array(['q'], object)}))
    print(sess.run(d), sess.run(d, {d: 4}), sess.run(d).dtype)
    print(sess.run(tf.cast(h, tf.int32) * 2, {h: [1, 200]}).tolist(), sess.run(h, {h: np.uint8([7])}).dtype)
    print(sess.run(tf.transpose(f), {f: np.asfortranarray(np.eye(2, 3))}).tolist())
