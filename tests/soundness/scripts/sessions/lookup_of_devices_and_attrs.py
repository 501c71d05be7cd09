# Attributes of operations and tensors: types, inputs, consumers, devices asked for, shapes, dtypes.
import tensorflow as tf

with tf.device('/cpu:0'):
    a = tf.constant([[1.0, 2.0]], name='a')
with tf.device('/gpu:1'):
    b = tf.constant([[3.0], [4.0]], name='b')
c = tf.matmul(a, b, name='c')
v = tf.get_variable('v', initializer=c * 2.0)
print(a.device, c.op.type, [t.name for t in c.op.inputs], [o.name for o in a.consumers()])
print(c.shape.as_list(), c.dtype.name, c.op.get_attr('transpose_a'), v.dtype.base_dtype.name, v.shape.as_list())
print(c.graph is tf.get_default_graph(), c.value_index, c.op.outputs[0] is c, v.op.name, v.name)
loss = tf.reduce_sum(tf.square(v - 1.0))
train = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        print(sess.run(loss), sess.run(c).tolist())
        sess.run(train)
    print(sess.run(v).tolist(), sess.graph.get_tensor_by_name('c:0') is c)
