# Batch norm by hand: assign_moving_average in UPDATE_OPS; the last tower's updates are run; evaluation with the averages.
import numpy as np
import tensorflow as tf
from tensorflow.python.training import moving_averages

tf.set_random_seed(21)
is_training = tf.placeholder(tf.bool, [], name='is_training')
x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None])


def batch_norm(v, name):
    with tf.variable_scope(name):
        size = v.get_shape()[-1]
        gamma = tf.get_variable('gamma', [size], initializer=tf.ones_initializer())
        beta = tf.get_variable('beta', [size], initializer=tf.zeros_initializer())
        mean_var = tf.get_variable('moving_mean', [size], initializer=tf.zeros_initializer(), trainable=False)
        var_var = tf.get_variable('moving_variance', [size], initializer=tf.ones_initializer(), trainable=False)
        mean, var = tf.nn.moments(v, [0])
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS,
                             moving_averages.assign_moving_average(mean_var, mean, 0.8, zero_debias=False))
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS,
                             moving_averages.assign_moving_average(var_var, var, 0.8, zero_debias=False))
        m, s = tf.cond(is_training, lambda: (mean, var), lambda: (tf.identity(mean_var), tf.identity(var_var)))
        return tf.nn.batch_normalization(v, m, s, beta, gamma, 1e-3)


def net(v):
    w = tf.get_variable('w', [3, 4], initializer=tf.random_normal_initializer(stddev=0.5))
    h = tf.nn.relu(batch_norm(tf.matmul(v, w), 'bn'))
    u = tf.get_variable('u', [4], initializer=tf.random_normal_initializer(stddev=0.5))
    return tf.reduce_sum(h * u, 1)


opt = tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True)
tower_grads = []
half = tf.shape(x)[0] // 2
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i) as scope:
                bx = tf.slice(x, [i * half, 0], [half, 3])
                by = tf.slice(y, [i * half], [half])
                out = net(bx)
                loss = tf.reduce_mean(tf.square(out - by))
                tf.get_variable_scope().reuse_variables()
                update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
                tower_grads.append(opt.compute_gradients(loss))
print(len(update_ops), len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in gv]), axis=0), gv[0][1]) for gv in zip(*tower_grads)]
with tf.control_dependencies(update_ops):
    train = opt.apply_gradients(grads)

rng = np.random.RandomState(8)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    tf.global_variables_initializer().run()
    for step in range(5):
        l, _ = sess.run([loss, train], {x: rng.randn(8, 3) + 2, y: rng.randn(8), is_training: True})
        print('train %.9g' % l)
    e, p = sess.run([loss, out], {x: rng.randn(4, 3), y: rng.randn(4), is_training: False})
    print('eval %.9g' % e, p.tolist())
    for v in tf.global_variables():
        print(v.op.name, sess.run(v).ravel().tolist())
