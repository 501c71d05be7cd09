# Shapes known and unknown, set_shape, tf.shape in the graph, TensorArray, dynamic batch, reshape by placeholders.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, None, 2])
print(x.shape.as_list(), x.get_shape().ndims, x.shape[2].value, x.shape[0].value)
flat = tf.reshape(x, [-1, 2])
w = tf.get_variable('w', [2, 3], initializer=tf.constant_initializer(np.arange(6).reshape(2, 3) / 6.0))
out = tf.reshape(tf.matmul(flat, w), [tf.shape(x)[0], tf.shape(x)[1], 3])
print(out.shape.as_list())
out.set_shape([None, None, 3])
ta = tf.TensorArray(tf.float32, size=tf.shape(x)[0], element_shape=[])
ta = tf.while_loop(lambda i, t: i < tf.shape(x)[0], lambda i, t: (i + 1, t.write(i, tf.reduce_sum(out[i]))), [0, ta])[1]
sums = ta.stack()
loss = tf.reduce_mean(tf.square(sums - 1.0))
train = tf.train.AdagradOptimizer(0.1).minimize(loss)
rng = np.random.RandomState(2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for n, t in ((1, 2), (3, 1), (2, 4)):
        feed = {x: rng.rand(n, t, 2)}
        print(sess.run(out, feed).shape, sess.run(sums, feed).tolist())
        print('%.7g' % sess.run([loss, train], feed)[0])
    print(sess.run(w).tolist())
