# TF 0.x's summaries, whose tags are what is written, whatever the name scope: kept by the towers, merged and printed.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
            w = tf.get_variable('w', [2, 2], initializer=tf.constant_initializer(0.5))
            act = tf.nn.relu(tf.matmul(x[i * 2:i * 2 + 2], w), name='act')
            tf.contrib.deprecated.histogram_summary('activations of the last', act)
            loss = tf.reduce_sum(act)
            tf.contrib.deprecated.scalar_summary(['loss (raw)', 'half'], tf.stack([loss, loss / 2.0]), name='told')
            summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
            tf.get_variable_scope().reuse_variables()
            tower_grads.append(opt.compute_gradients(loss))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
for g, v in grads:
    summaries.append(tf.contrib.deprecated.histogram_summary(v.op.name + '/gradients', g))
train = opt.apply_gradients(grads)
merged = tf.summary.merge(summaries)
rng = np.random.RandomState(2)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        rows = rng.rand(2, 2).astype('float32')
        feed = {x: np.concatenate([rows, rows])}
        print(sess.run(merged, feed))
        sess.run(train, feed)
