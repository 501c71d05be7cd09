# A DCGAN in towers: the generator's batch is a constant, its input's is open; the shape is asked of the tensor.
import numpy as np
import tensorflow as tf

BATCH = 4


def generator(z, reuse):
    with tf.variable_scope('generator', reuse=reuse):
        w = tf.get_variable('w', [3, 2 * 2 * 4], initializer=tf.random_normal_initializer(stddev=0.3))
        h = tf.nn.relu(tf.reshape(tf.matmul(z, w), [-1, 2, 2, 4]))
        up = tf.get_variable('up', [3, 3, 2, 4], initializer=tf.random_normal_initializer(stddev=0.3))
        h = tf.nn.conv2d_transpose(h, up, output_shape=[BATCH, 4, 4, 2], strides=[1, 2, 2, 1])
        b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
        return tf.tanh(tf.reshape(tf.nn.bias_add(h, b), h.get_shape()))


def discriminator(image, reuse):
    with tf.variable_scope('discriminator', reuse=reuse):
        batch, flat = int(image.get_shape()[0]), int(np.prod(image.get_shape().as_list()[1:]))
        w = tf.get_variable('w', [flat, 1], initializer=tf.random_normal_initializer(stddev=0.3))
        return tf.matmul(tf.reshape(image, [batch, flat]), w)


tf.set_random_seed(3)
z = tf.placeholder(tf.float32, [None, 3])
real = tf.placeholder(tf.float32, [2 * BATCH, 4, 4, 2])
opt = tf.train.GradientDescentOptimizer(0.5)
d_grads, g_grads = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
        fake = generator(z[i * BATCH:(i + 1) * BATCH], i > 0)
        logits = discriminator(tf.nn.dropout(real[i * BATCH:(i + 1) * BATCH], 0.8), i > 0)
        logits_ = discriminator(fake, True)
        print(fake.get_shape().as_list(), logits.get_shape().as_list())
        d_loss = tf.reduce_mean(tf.nn.softplus(-logits)) + tf.reduce_mean(tf.nn.softplus(logits_))
        g_loss = tf.reduce_mean(tf.nn.softplus(-logits_))
        d_vars = [v for v in tf.trainable_variables() if v.name.startswith('discriminator')]
        g_vars = [v for v in tf.trainable_variables() if v.name.startswith('generator')]
        d_grads.append(opt.compute_gradients(d_loss, d_vars))
        g_grads.append(opt.compute_gradients(g_loss, g_vars))
train = [opt.apply_gradients([(tf.add_n([g for g, _ in p]) / 2., p[0][1]) for p in zip(*tower_grads)])
         for tower_grads in (d_grads, g_grads)]
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        draw = np.random.RandomState(step)
        feed = {z: draw.randn(2 * BATCH, 3), real: draw.randn(2 * BATCH, 4, 4, 2)}
        print(step, sess.run([d_loss, g_loss], feed))
        sess.run(train[0], feed)
        sess.run(train[1], feed)
    for v in tf.trainable_variables():
        print(v.op.name, sess.run(v).ravel().tolist())
