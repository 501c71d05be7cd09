# Two losses, two optimizers, two variable lists, in every tower; updates one after the other.
import numpy as np
import tensorflow as tf


def generator(z):
    with tf.variable_scope('gen', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [2, 3], initializer=tf.random_normal_initializer(0, 0.3, seed=1))
        return tf.tanh(tf.matmul(z, w))


def discriminator(x):
    with tf.variable_scope('dis', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [3, 1], initializer=tf.random_normal_initializer(0, 0.3, seed=2))
        b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
        return tf.matmul(x, w) + b


def xent(logits, value):
    labels = tf.ones_like(logits) * value
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=labels))


def mean_of(grads):
    return [(tf.reduce_mean(tf.stack([g for g, _ in gv]), 0), gv[0][1]) for gv in zip(*grads)]


z = tf.placeholder(tf.float32, [8, 2])
real = tf.placeholder(tf.float32, [8, 3])
g_opt, d_opt = tf.train.AdamOptimizer(0.02, beta1=0.5), tf.train.GradientDescentOptimizer(0.1)
g_grads, d_grads, g_losses, d_losses = [], [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
        fake = generator(z[i * 4:(i + 1) * 4])
        d_loss = xent(discriminator(real[i * 4:(i + 1) * 4]), 1.) + xent(discriminator(fake), 0.)
        g_loss = xent(discriminator(fake), 1.)
        t_vars = tf.trainable_variables()
        d_vars = [v for v in t_vars if v.name.startswith('dis/')]
        g_vars = [v for v in t_vars if 'gen/' in v.name]
        d_grads.append(d_opt.compute_gradients(d_loss, var_list=d_vars))
        g_grads.append(g_opt.compute_gradients(g_loss, var_list=g_vars))
        g_losses.append(g_loss)
        d_losses.append(d_loss)
d_train = d_opt.apply_gradients(mean_of(d_grads))
g_train = g_opt.apply_gradients(mean_of(g_grads))
print(len(d_vars), len(g_vars))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        feed = {z: rng.randn(8, 2), real: rng.randn(8, 3) + 1}
        dl, _ = sess.run([d_losses, d_train], feed)
        sess.run(g_train, feed)
        gl = sess.run(g_losses, {z: feed[z]})
        print(['%.9g' % v for v in dl + gl])
    for v in tf.global_variables():
        print(v.name, sess.run(v).ravel().tolist())
