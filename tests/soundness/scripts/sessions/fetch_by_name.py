# Tensors and operations by their names, in run, in feeds and from the graph; unknown names.
import numpy as np
import tensorflow as tf

with tf.name_scope('in'):
    tf.placeholder(tf.float32, [2, 2], name='x')
with tf.variable_scope('layer'):
    w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.5))
g = tf.get_default_graph()
x = g.get_tensor_by_name('in/x:0')
y = tf.reduce_sum(x * w, 1, name='y')
with tf.name_scope('obj') as scope:
    loss = tf.reduce_mean(y ** 2, name='loss')
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, name='go')
init = tf.global_variables_initializer()
print(scope, loss.name, train.name, init.name, w.name, g.get_operation_by_name('y').type)
rng = np.random.RandomState(4)
with tf.Session() as sess:
    sess.run(init.name)
    for _ in range(4):
        fed = {'in/x:0': rng.randn(2, 2)}
        value, out, nothing = sess.run(['obj/loss:0', 'y:0', 'go'], fed)
        print('%.9g' % value, out.shape, nothing, sess.run('layer/w:0').tolist())
    for bad in ('nowhere:0', 'obj/loss:1', 'nothing', 'obj/loss:x'):
        try:
            sess.run(bad, fed)
            print('ran')
        except (ValueError, TypeError) as e:
            print(type(e).__name__, bad)
    for bad in ('nowhere:0', 'nothing'):
        try:
            g.get_tensor_by_name(bad)
        except (KeyError, ValueError) as e:
            print(type(e).__name__, bad)
    print(g.as_graph_element('y').name, g.as_graph_element('y:0').name, g.is_feedable(y), g.is_fetchable(train))
