"""Functions of TensorFlow's own modules that stand in other files today: array_ops.stack, control_flow_ops.cond."""

import tensorflow as tf
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, control_flow_ops, math_ops
from tensorflow.python.ops.array_ops import unstack as parts_of

tf.set_random_seed(5)
x = tf.placeholder(tf.float32, [2, 3], name="x")
rows, columns = array_ops.unstack(array_ops.shape(x))
first, second = parts_of(x)
w = tf.get_variable("w", [3], initializer=tf.random_normal_initializer())
turned = control_flow_ops.cond(
    rows > 1, lambda: array_ops.stack([second, first]), lambda: x
)
doubled = control_flow_ops.while_loop(
    lambda i, v: i < columns, lambda i, v: (i + 1, v * 2.0), [0, turned]
)[1]
loss = math_ops.reduce_mean(math_ops.square(math_ops.reduce_sum(doubled * w, axis=1)))
assert isinstance(loss, ops.Tensor)
gradient = ops.convert_to_tensor_or_indexed_slices(tf.gradients(loss, w)[0])
with ops.control_dependencies([control_flow_ops.Assert(rows > 0, [rows])]):
    step = tf.train.GradientDescentOptimizer(1e-4).apply_gradients([(gradient, w)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(4):
        fed = {x: [[1.0, 2.0, 3.0 + n], [0.5, -1.0, n]]}
        print(n, sess.run([loss, rows, columns], fed), sess.run(turned, fed).tolist())
        sess.run(step, fed)
    print(sess.run(w).tolist())
