# No graph of its own, no with: the default graph, one session, closed at the end.
import numpy as np
import tensorflow as tf

tf.set_random_seed(3)
x = tf.placeholder(tf.float32, [None, 2], name='x')
w = tf.Variable(tf.random_normal([2, 1]), name='w')
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)), name='loss')
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
rng = np.random.RandomState(1)
for _ in range(4):
    value, _ = sess.run([loss, train], feed_dict={x: rng.randn(3, 2)})
    print('%.9g' % value)
print(sess.run(w).tolist(), tf.train.global_step(sess, step))
print(sess.graph is tf.get_default_graph(), loss.name, x.op.type)
sess.close()
try:
    sess.run(w)
except RuntimeError as e:
    print('RuntimeError', 'closed' in str(e).lower())
