# Layers, losses and initializers in the towers, two optimizers with schedules: what certain programs are made of.
import numpy as np
import tensorflow as tf

NUM_TOWERS = 2


def volumes(x):
    h = tf.reshape(x, [-1, 4, 6, 2, 1])
    h = tf.layers.conv3d(h, 2, 2, padding='same', activation=tf.nn.relu, kernel_initializer=tf.constant_initializer(0.2),
                         name='volume')
    h = tf.layers.max_pooling3d(h, 2, 2, padding='same')
    return tf.layers.flatten(tf.layers.average_pooling3d(h, 1, 1))


def signals(x):
    h = tf.reshape(x, [-1, 8, 6])
    h = tf.layers.conv1d(h, 4, 3, padding='same', kernel_initializer=tf.variance_scaling_initializer(seed=3), name='signal')
    h = tf.layers.max_pooling1d(h, 2, 2)
    return tf.layers.flatten(tf.layers.average_pooling1d(h, 2, 1))


def images(x):
    h = tf.reshape(x, [-1, 4, 6, 2])
    h = tf.layers.conv2d_transpose(
        h, 3, 2, strides=2, kernel_initializer=tf.initializers.random_uniform(-0.3, 0.3, seed=4), name='wider')
    h = tf.layers.separable_conv2d(
        h, 2, 2, depthwise_initializer=tf.initializers.constant(0.3), pointwise_initializer=tf.initializers.ones(), name='apart')
    w = tf.get_variable('w', [2, 2], initializer=tf.orthogonal_initializer(seed=5))
    v = tf.get_variable('v', [2, 2], initializer=tf.uniform_unit_scaling_initializer(seed=5))
    u = tf.get_variable('u', [2, 2], initializer=tf.initializers.identity())
    return tf.reduce_mean(tf.tensordot(h, w + v + u, [[3], [0]]), [1, 2])


def tower_loss(x, labels):
    features = tf.concat([volumes(x), signals(x), images(x)], 1)
    logits = tf.layers.dense(features, 3, kernel_initializer=tf.initializers.truncated_normal(0.0, 0.1, seed=7), name='logits')
    one_hot = tf.one_hot(labels, 3)
    part = tf.sigmoid(logits)
    losses = [
        tf.losses.softmax_cross_entropy(one_hot, logits, label_smoothing=0.1),
        tf.losses.sparse_softmax_cross_entropy(labels, logits), tf.losses.sigmoid_cross_entropy(one_hot, logits),
        tf.losses.mean_squared_error(one_hot, logits), tf.losses.absolute_difference(one_hot, logits),
        tf.losses.huber_loss(one_hot, logits), tf.losses.log_loss(one_hot, part), tf.losses.hinge_loss(one_hot, logits),
        tf.losses.mean_pairwise_squared_error(one_hot, logits),
        tf.losses.cosine_distance(tf.nn.l2_normalize(one_hot, 1), tf.nn.l2_normalize(logits, 1), axis=1),
    ]
    return tf.add_n(losses)


x = tf.placeholder(tf.float32, [None, 48])
labels = tf.placeholder(tf.int64, [None])
global_step = tf.train.get_or_create_global_step()
rate = tf.train.polynomial_decay(0.05, global_step, 10)
natural = tf.train.natural_exp_decay(0.01, global_step, 5, 0.3)
inverse = tf.train.inverse_time_decay(0.01, global_step, 5, 0.3)
cosine = tf.train.cosine_decay(0.01, global_step, 10)
opt = tf.train.FtrlOptimizer(0.05, l2_regularization_strength=0.01)
tower_grads = []
tower_losses = []
xs = tf.split(x, NUM_TOWERS)
ys = tf.split(labels, NUM_TOWERS)
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(NUM_TOWERS):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i):
                loss = tower_loss(xs[i], ys[i])
                tf.get_variable_scope().reuse_variables()
                tower_losses.append(loss)
                tower_grads.append(opt.compute_gradients(loss))
grads = []
for pairs in zip(*tower_grads):
    grads.append((tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]))
values, names = zip(*grads)
clipped, norm = tf.clip_by_global_norm(values, 2.0)
train_op = opt.apply_gradients(zip(clipped, names), global_step=global_step)
mean_loss = tf.reduce_mean(tf.stack(tower_losses), 0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(5)
    for step in range(4):
        feed = {x: rng.randn(8, 48), labels: rng.randint(0, 3, 8)}
        _, value, length, now = sess.run([train_op, mean_loss, norm, rate], feed)
        print('%d %.9g %.9g %.9g' % (step, value, length, now))
        print('%.9g %.9g %.9g' % tuple(sess.run([natural, inverse, cosine])))
