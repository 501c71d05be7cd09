# report_uninitialized_variables, is_variable_initialized, and initialising only what is missing.
import tensorflow as tf

a = tf.get_variable('a', initializer=1.0)
b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
c = tf.Variable(a.initialized_value() * 3.0, name='c')
local = tf.Variable(5, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name='local')
report = tf.report_uninitialized_variables()
checks = [tf.is_variable_initialized(v) for v in (a, b, c)]
loss = (a - 3.0) ** 2 + tf.reduce_sum((b - 1.0) ** 2)
train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)


def initialize_missing(sess):
    missing = [v for v in tf.global_variables() if not sess.run(tf.is_variable_initialized(v))]
    print('missing', [v.op.name for v in missing])
    sess.run(tf.variables_initializer(missing))


with tf.Session() as sess:
    print(sorted(n.decode() for n in sess.run(report)), sess.run(checks))
    sess.run(a.initializer)
    sess.run(a.assign_add(1.0))
    print(sorted(n.decode() for n in sess.run(report)), sess.run(checks))
    initialize_missing(sess)
    print(sess.run([a, c]), sess.run(report).tolist())
    sess.run(local.initializer)
    print(len(sess.run(report)), sess.run(local))
    for _ in range(3):
        sess.run(train)
        print(sess.run([loss, a]), sess.run(b).tolist())
    initialize_missing(sess)
    print(sess.run(tf.report_uninitialized_variables([a, b])).size)
