# Control flow with assignments inside: tf.cond that updates one of two variables, a while_loop that accumulates.
import tensorflow as tf

a = tf.Variable(0.0, name='a')
b = tf.Variable(10.0, name='b')
which = tf.placeholder(tf.bool, [])
n = tf.placeholder(tf.int32, [])
moved = tf.cond(which, lambda: tf.assign_add(a, 1.0), lambda: tf.assign_sub(b, 2.0))
total = tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t + tf.cast(i, tf.float32) * b), [0, a.read_value()])[1]
case = tf.case([(tf.less(a, 1.0), lambda: tf.constant('small')), (tf.less(a, 3.0), lambda: tf.constant('medium'))],
               default=lambda: tf.constant('large'), exclusive=False)
loss = total ** 2 * 1e-3
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[b])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for k in range(4):
        print(sess.run(moved, {which: k % 2 == 0}), sess.run([a, b]), sess.run(case).decode())
        print('%.9g' % sess.run(total, {n: k}))
        sess.run(train, {n: k})
    print('%.9g' % sess.run(b))
