# Many different sets of fetches of one graph: each pair, each order; the same numbers whatever is fetched with what.
import itertools

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 2], name='x')
w = tf.Variable([[0.1, 0.2], [0.3, 0.4]], name='w')
a = tf.matmul(x, w, name='a')
b = tf.nn.softmax(a, name='b')
c = tf.reduce_mean(b * a, name='c')
n = tf.Variable(0, trainable=False)
count = n.assign_add(1)
data = np.array([[1., 2.], [3., 4.]])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for pair in itertools.permutations([a, b, c], 2):
        out = sess.run(list(pair), {x: data})
        print([t.op.name for t in pair], ['%.7g' % v.sum() for v in out])
    for k in range(1, 4):
        out = sess.run([c] * k + [count], {x: data * k})
        print(len(set(map(float, out[:k]))), '%.9g' % out[0], out[-1])
    print(sess.run(n))
