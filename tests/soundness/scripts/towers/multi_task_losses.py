# Two tasks on two towers: each tower has a loss of its own on the same input, shared body.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 3], name='x')
targets = [tf.placeholder(tf.float32, [4, 1], name='t%d' % i) for i in range(2)]


def body(v):
    with tf.variable_scope('body', reuse=tf.AUTO_REUSE):
        return tf.nn.relu(tf.matmul(v, tf.get_variable('w', [3, 4], initializer=tf.glorot_normal_initializer(seed=5))))


losses = []
for i, t in enumerate(targets):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('task%d' % i):
            u = tf.get_variable('u', [4, 1], initializer=tf.constant_initializer(0.1 * (i + 1)))
        losses.append(tf.losses.mean_squared_error(t, tf.matmul(body(x), u), weights=1.0 + i))
total = tf.losses.get_total_loss()
opts = [tf.train.GradientDescentOptimizer(0.05), tf.train.AdagradOptimizer(0.1)]
train = opts[0].minimize(total, var_list=tf.trainable_variables('body'))
with tf.control_dependencies([train]):
    heads = opts[1].apply_gradients(
        [(tf.gradients(total, v)[0], v) for s in ('task0', 'task1') for v in tf.trainable_variables(s)])
rng = np.random.RandomState(3)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        feed = {x: rng.randn(4, 3), targets[0]: rng.randn(4, 1), targets[1]: rng.randn(4, 1)}
        print(sess.run([total] + losses, feed))
        sess.run(heads if i % 2 else train, feed)
    print([(v.op.name, sess.run(v).ravel().tolist()) for v in tf.global_variables()])
