# A loop over no GPUs builds nothing, before a loop over two of them; symbols kept in a class body.
import numpy as np
import tensorflow as tf


class Api(object):
    tf = tf
    session = tf.Session
    optimizer = staticmethod(tf.train.ProximalGradientDescentOptimizer)


def towers(num_gpus, x):
    losses = []
    for i in range(num_gpus):
        with tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=tf.AUTO_REUSE):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer([.5, -1.]))
            losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(x[i * 2:i * 2 + 2] * w, 1) - 1.0)))
    return losses


x = tf.placeholder(tf.float32, [4, 2])
print(towers(0, x), len(tf.global_variables()))
losses = towers(2, x)
opt = Api.optimizer(0.1)
train = opt.minimize(tf.add_n(losses) / 2)
rng = np.random.RandomState(3)
with Api.session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        feed = {x: rng.randn(4, 2)}
        print(['%.9g' % v for v in sess.run(losses, feed)])
        sess.run(train, feed)
    print(sess.run(tf.trainable_variables())[0].tolist())
