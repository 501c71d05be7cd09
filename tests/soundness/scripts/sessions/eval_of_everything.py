# eval() of tensors, variables, operations run by name, tf.group, tf.tuple, tf.no_op, identity of many.
import numpy as np
import tensorflow as tf

with tf.Session():
    a = tf.Variable(np.array([1, 2, 3]), name='ints')
    b = tf.Variable(tf.fill([2, 2], 0.5), name='floats')
    c = tf.Variable(True, name='flag')
    s = tf.Variable(['x', 'yy'], name='strings')
    tf.initialize_variables([a, b, c, s]).run()
    print(a.eval().tolist(), b.eval().tolist(), c.eval(), s.eval().tolist())
    print(a.dtype.base_dtype.name, b.shape.as_list(), c.op.name, s.get_shape().as_list())
    tf.group(a.assign_add([1, 1, 1]), c.assign(False)).run()
    print(a.value().eval().tolist(), c.read_value().eval(), (a + 1).eval().tolist(), b[0].eval().tolist())
    first, second = tf.tuple([a * 2, tf.cast(b, tf.int64)])
    print(first.eval().tolist(), second.eval().tolist(), tf.no_op().run())
    loss = tf.reduce_sum(b ** 3)
    train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    for _ in range(3):
        train.run()
        print(loss.eval(), tf.identity_n([b, b])[1].eval().sum())
    print(tf.shape(b).eval().tolist(), tf.size(s).eval(), tf.strings.length(s).eval().tolist())
