import numpy as np
import tensorflow as tf

#: cached_on_its_own_device: caching_device of a variable's own device: TF1's cache is the variable's memory, and changes with it
for device in (None, '/cpu:0', lambda op: op.device):
    with tf.Graph().as_default():
        with tf.device('/cpu:0'), tf.variable_scope('a', caching_device=device):
            w = tf.get_variable(
                'w', [3], initializer=tf.ones_initializer(), constraint=lambda t: tf.clip_by_norm(t, 1.2)
            )
        gradients = []
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                gradients.append(tf.gradients(tf.reduce_sum(w * [1.0, 2.0, i]), w)[0])
        train = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(tf.add_n(gradients) / 2, w)])
        average = tf.train.ExponentialMovingAverage(0.5)
        with tf.control_dependencies([train]):
            after, penalty, same, read = w * 10.0, tf.nn.l2_loss(w), tf.identity(w), w.read_value()
            averaged = average.apply([w])
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run([after, penalty, same]))
            print(sess.run(read))
            sess.run(averaged)
            print(sess.run([w, average.average(w)]))

#: fed_variables: variables that are fed: by themselves, by the tensor that all use, and by a read of their own
w = tf.get_variable('w', initializer=[11.0, 12.0])
scaled = w * 2.0
value = w.value()
read = w.read_value()
more = w + tf.reduce_sum(w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for fed in (value, read, w, w.value()):
        print([found.tolist() for found in sess.run([scaled, value, read, more], {fed: [13.0, 14.0]})])
    print(sess.run(w).tolist())

#: graph_grows_between_runs: operations added after the session was made, between two runs: they are there in the next run
x = tf.placeholder(tf.float32, [2])
w = tf.Variable([1.0, 1.0], name='w')
y = x * w
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {x: [1, 2]}).tolist())
for power in (1, 2, 3):
    loss = tf.reduce_sum(y ** power)
    train = tf.train.GradientDescentOptimizer(0.1 / power).minimize(loss)
    print(power, sess.run([loss, train], {x: [0.5, 1.5]})[0], sess.run(w).tolist())
late = tf.Variable(w.initialized_value() * 10.0, name='late')
sess.run(late.initializer)
print(sess.run(late).tolist(), sess.run(w.assign(late / 20.0)).tolist())
print(sess.run(tf.constant(3) + 4), sess.run(tf.global_variables())[1].tolist())

#: uninitialised_variables: report_uninitialized_variables, is_variable_initialized, and initialising only what is missing
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
