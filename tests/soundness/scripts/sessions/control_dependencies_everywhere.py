# Order by control dependencies: nested, cleared with None, tf.group, with_dependencies, on variables' reads.
import tensorflow as tf
from tensorflow.python.ops import control_flow_ops

a = tf.Variable(1.0, name='a')
with tf.control_dependencies([a.assign(a * 2.0)]):
    b = a.read_value() + 1.0
    with tf.control_dependencies([b]):
        c = a.assign_add(10.0)
    with tf.control_dependencies(None):
        free = tf.constant(5.0) * 2.0
with tf.control_dependencies([c]):
    d = a.read_value() * 1.0
e = control_flow_ops.with_dependencies([d], tf.constant(3.0))
everything = tf.group(b, c, d, e)
count = tf.Variable(0, trainable=False)
with tf.control_dependencies([count.assign_add(1)]):
    counted = tf.identity(free)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([b, d]), sess.run(a))
    print(sess.run(free), sess.run(a))
    print(sess.run(everything), sess.run(a))
    print(sess.run([counted, counted]), sess.run(count))
    print(sess.run(e), sess.run(a), [op.name for op in counted.op.control_inputs] != [])
