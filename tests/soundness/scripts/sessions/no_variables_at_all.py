# A session that only computes: linear algebra, strings, numbers; a graph without any variable.
import numpy as np
import tensorflow as tf

m = tf.placeholder(tf.float64, [3, 3])
inverse = tf.matrix_inverse(m)
det = tf.matrix_determinant(m)
eig = tf.self_adjoint_eigvals(tf.matmul(m, m, transpose_a=True))
best = tf.argmax(tf.reduce_sum(m, 1))
rng = np.random.RandomState(0)
print(tf.global_variables(), tf.trainable_variables())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        a = rng.rand(3, 3)
        i, d, b = sess.run([inverse, det, best], {m: a})
        print(np.round(i.dot(a), 6).tolist(), '%.9g' % d, b, np.round(sess.run(eig, {m: a}), 8).tolist())
    print(sess.run(tf.string_split(['a b', 'c']).values).tolist(), sess.run(tf.range(3)).tolist())
    print(sess.run(tf.unique([1, 1, 2])).idx.tolist(), sess.run(tf.where([True, False, True])).tolist())
    print(sess.run(tf.dynamic_partition([1, 2, 3, 4], [0, 1, 0, 1], 2))[1].tolist())
