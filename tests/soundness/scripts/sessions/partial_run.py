# partial_run: one step in three calls.
import tensorflow as tf

a = tf.placeholder(tf.float32, shape=[])
b = tf.placeholder(tf.float32, shape=[])
c = tf.placeholder(tf.float32, shape=[])
w = tf.Variable(2.0)
r1 = tf.add(a, b) * w
r2 = tf.multiply(r1, c)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for k in range(3):
        h = sess.partial_run_setup([r1, r2], [a, b, c])
        res = sess.partial_run(h, r1, feed_dict={a: 1 + k, b: 2})
        print(res)
        res = sess.partial_run(h, r2, feed_dict={c: res * 10})
        print(res)
        sess.run(w.assign_add(0.5))
    print(sess.run(w))
