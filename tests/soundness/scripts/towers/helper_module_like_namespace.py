# The model is a set of static methods; configuration by a class of constants; towers from a generator function.
import numpy as np
import tensorflow as tf


class Config(object):
    gpus = [0, 1]
    batch = 3
    units = 4
    rate = 0.03


class Layers(object):
    @staticmethod
    def fc(x, n, name, nl=None):
        with tf.variable_scope(name):
            w = tf.get_variable('W', [x.get_shape().as_list()[-1], n], tf.float32,
                                tf.random_normal_initializer(stddev=0.2, seed=n))
            b = tf.get_variable('b', [n], tf.float32, tf.constant_initializer(0.05))
            y = tf.nn.xw_plus_b(x, w, b)
        return y if nl is None else nl(y)


def towers(config):
    for k, gpu in enumerate(config.gpus):
        with tf.device('/gpu:%d' % gpu):
            with tf.variable_scope('v', reuse=True if k > 0 else None):
                with tf.name_scope('tower%d' % k):
                    yield k


x = tf.placeholder(tf.float32, [len(Config.gpus), Config.batch, 2])
opt = tf.train.AdamOptimizer(Config.rate)
all_grads, all_losses = [], []
for k in towers(Config):
    h = Layers.fc(x[k], Config.units, 'fc0', tf.tanh)
    out = Layers.fc(h, 2, 'fc1')
    all_losses.append(tf.reduce_mean(tf.square(out - x[k])))
    all_grads.append(opt.compute_gradients(all_losses[-1]))
average = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*all_grads)]
train = opt.apply_gradients(average)
print([l.op.name for l in all_losses])
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        print(['%.9g' % v for v in sess.run(all_losses + [train], {x: rng.randn(2, 3, 2)})[:2]])
    print([(v.op.name, sess.run(v).ravel().tolist()) for v in tf.trainable_variables()])
