# The learning rate is a variable, set by the session; a feed that is only sometimes there (placeholder_with_default).
import numpy as np
import tensorflow as tf

lr = tf.Variable(0.1, trainable=False, name='lr')
new_lr = tf.placeholder(tf.float32, [])
set_lr = tf.assign(lr, new_lr)
keep = tf.placeholder_with_default(1.0, [], name='keep')
x = tf.placeholder(tf.float32, [2, 3, 2])
opt = tf.train.GradientDescentOptimizer(lr)
grads, losses = [], []
for tower in range(2):
    with tf.device('/gpu:%d' % tower):
        with tf.variable_scope('all', reuse=None if tower == 0 else True):
            w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.9))
            h = tf.nn.dropout(x[tower], keep_prob=keep, seed=5)
            losses.append(tf.reduce_mean(tf.abs(tf.reduce_sum(h * w, 1) - 0.5)))
            grads.append(opt.compute_gradients(losses[-1]))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    rate = 0.1
    for step in range(6):
        feed = {x: rng.randn(2, 3, 2)}
        if step % 2:
            feed[keep] = 0.5
        print(step, sess.run(losses + [train], feed)[:2])
        if step == 2:
            rate *= 0.5
            print('set', sess.run(set_lr, {new_lr: rate}))
    print(sess.run([lr, w, keep]))
