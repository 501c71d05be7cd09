# clip_by_norm within each tower, before the average; a schedule on a casted global step.
import math

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [6, 3])
y = tf.placeholder(tf.float32, [6])
global_step = tf.train.get_or_create_global_step()
progress = tf.cast(global_step, tf.float32) / 5.0
lr = 0.2 * (0.5 * (1 + tf.cos(progress * math.pi)))
opt = tf.train.GradientDescentOptimizer(lr)
tower_grads = []
losses = {}
for i in range(2):
    device = '/gpu:%s' % i
    with tf.device(device):
        with tf.variable_scope('q', reuse=bool(i)):
            w = tf.get_variable('w', shape=[3], initializer=tf.constant_initializer([1., 2., 3.]))
            losses[device] = tf.nn.l2_loss(tf.reduce_sum(x[i * 3:(i + 1) * 3] * w, -1) - y[i * 3:(i + 1) * 3])
        gv = opt.compute_gradients(losses[device])
        tower_grads.append([(tf.clip_by_norm(g, 1.5), v) for g, v in gv])
avg = [(tf.reduce_mean(tf.concat([g[None] for g, _ in p], 0), 0), p[0][1]) for p in zip(*tower_grads)]
train_op = opt.apply_gradients(avg, global_step)
rng = np.random.RandomState(6)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        fd = {x: rng.randn(6, 3), y: rng.randn(6)}
        print('lr %.9g' % sess.run(lr), {k: float(v) for k, v in sess.run(losses, fd).items()})
        sess.run(train_op, feed_dict=fd)
    print(sess.run(global_step), sess.run(w).tolist())
