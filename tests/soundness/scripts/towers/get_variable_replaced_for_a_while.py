# A context manager of the script's own that puts a function in the place of tf.get_variable: layers take no notice.
import contextlib

import tensorflow as tf

made = []


@contextlib.contextmanager
def noted():
    plain = tf.get_variable

    def get_variable(*args, **kwargs):
        made.append(args[0])
        return plain(*args, **kwargs) * 0.5

    tf.get_variable = get_variable
    yield
    tf.get_variable = plain


opt = tf.train.GradientDescentOptimizer(0.1)
gradients = []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('a', reuse=tf.AUTO_REUSE), noted():
        w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
        hidden = tf.layers.dense(tf.reshape(w, [1, 2]), 2, kernel_initializer=tf.ones_initializer(), name='d')
        out = tf.contrib.layers.fully_connected(hidden, 2, weights_initializer=tf.ones_initializer(), scope='f')
        gradients.append(opt.compute_gradients(tf.reduce_sum(out**2) * (i + 1)))
mean = [(tf.reduce_mean(tf.stack([g for g, _ in each]), 0), each[0][1]) for each in zip(*gradients)]
train = opt.apply_gradients([(grad * 0.01, variable) for grad, variable in mean])
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train)
        print(sess.run(tf.trainable_variables()))
print(made, [variable.name for variable in tf.trainable_variables()])
