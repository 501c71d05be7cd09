# Weight decay in a collection, read by the tower's name scope; the last tower's summaries; clipping after the average.
import numpy as np
import tensorflow as tf


def weight(name, shape, decay, seed):
    var = tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=0.5, seed=seed))
    tf.add_to_collection('losses', tf.multiply(tf.nn.l2_loss(var), decay, name='decay'))
    return var


def tower_loss(scope, x, y):
    w = weight('w', [3, 5], 0.01, 1)
    v = weight('v', [5, 1], 0.02, 2)
    out = tf.matmul(tf.tanh(tf.matmul(x, w)), v)
    tf.add_to_collection('losses', tf.reduce_mean(tf.square(out - y)))
    return tf.add_n(tf.get_collection('losses', scope), name='total')


x = tf.placeholder(tf.float32, [8, 3])
y = tf.placeholder(tf.float32, [8, 1])
opt = tf.train.GradientDescentOptimizer(0.2)
tower_grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
        with tf.variable_scope('model', reuse=i > 0):
            loss = tower_loss(scope, x[i * 4:(i + 1) * 4], y[i * 4:(i + 1) * 4])
        tower_grads.append(opt.compute_gradients(loss))
mean_grads = []
for pairs in zip(*tower_grads):
    mean = tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0)
    mean_grads.append((tf.clip_by_value(mean, -0.05, 0.05), pairs[0][1]))
train_op = opt.apply_gradients(mean_grads)
rng = np.random.RandomState(2)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        _, value = sess.run([train_op, loss], {x: rng.randn(8, 3), y: rng.randn(8, 1)})
        print('%.9g' % value)
