# num_gpus = 1: a tower of one, the average over one.
import numpy as np
import tensorflow as tf

num_gpus = 1
x = tf.placeholder(tf.float32, [4 * num_gpus, 2])
y = tf.placeholder(tf.float32, [4 * num_gpus])
xs = tf.split(axis=0, num_or_size_splits=num_gpus, value=x)
ys = tf.split(axis=0, num_or_size_splits=num_gpus, value=y)
step = tf.Variable(0, trainable=False)
lr = tf.train.piecewise_constant(step, [1, 3], [0.2, 0.1, 0.02])
opt = tf.train.RMSPropOptimizer(lr, 0.8)
tower_grads = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(num_gpus):
        with tf.device('/gpu:%d' % i):
            with tf.name_scope('tower_%d' % i) as scope:
                w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
                loss = tf.reduce_mean((tf.reduce_sum(xs[i] * w, 1) - ys[i]) ** 2)
                tf.get_variable_scope().reuse_variables()
                tower_grads.append(opt.compute_gradients(loss))
grads = []
for gv in zip(*tower_grads):
    stacked = tf.concat([tf.expand_dims(g, 0) for g, _ in gv], 0)
    grads.append((tf.reduce_mean(stacked, 0), gv[0][1]))
train = opt.apply_gradients(grads, global_step=step)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        l, _ = sess.run([loss, train], {x: rng.rand(4, 2), y: rng.rand(4)})
        print('%.9g rate %.6g' % (l, sess.run(lr)))
    print({v.op.name: sess.run(v).tolist() for v in tf.global_variables()})
