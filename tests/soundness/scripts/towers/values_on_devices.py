import numpy as np
import tensorflow as tf

ROWS = 4

with tf.device("/cpu:0"):
    w = tf.get_variable("w", [3, 2], initializer=tf.random_normal_initializer(seed=7))
    scale = tf.Variable(0.25, name="scale")
x = tf.placeholder(tf.float32, [None, 3])
shift = tf.placeholder(tf.float32, [])
with tf.device("/gpu:0"):
    first = tf.matmul(x, w) * scale
    first_sum = tf.reduce_sum(first)
with tf.device("/gpu:1"):
    with tf.name_scope("second"):
        second = tf.tanh(tf.matmul(x, w) + shift)
        second_mean = tf.reduce_mean(second, 0)
total = tf.add_n([first, second])

init = tf.global_variables_initializer()
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(init)
    random = np.random.RandomState(3)
    for step in range(3):
        rows = random.rand(ROWS + step, 3)
        a, b = sess.run([first_sum, second_mean], feed_dict={x: rows, shift: step})
        print(step, a, b, a.dtype, b.shape)
        print(sess.run(total, {x: rows, shift: 0.5}))
    print(sess.run((scale,)), sess.run((w, scale)), sess.run((total,), {x: np.ones([1, 3]), shift: 1.0}))
    print(sess.run(w), sess.run([scale, first_sum], feed_dict={x: np.ones([1, 3])}))
