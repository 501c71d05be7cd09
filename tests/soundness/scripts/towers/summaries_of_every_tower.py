# Summaries of every tower, the tower's name taken off by a regular expression; histograms; read from the proto.
import re

import numpy as np
import tensorflow as tf

tf.set_random_seed(2)
x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
            w = tf.get_variable('w', [2, 2], initializer=tf.random_normal_initializer())
            act = tf.nn.relu(tf.matmul(x[i * 2:i * 2 + 2], w), name='act')
            name = re.sub('tower_[0-9]*/', '', act.op.name)
            tf.summary.histogram(name + '/activations', act)
            tf.summary.scalar(name + '/sparsity', tf.nn.zero_fraction(act))
            loss = tf.reduce_sum(act)
            tf.get_variable_scope().reuse_variables()
            tower_grads.append(opt.compute_gradients(loss))
print([s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)])
print(len(tf.get_collection(tf.GraphKeys.SUMMARIES, scope)), len(tf.get_collection(tf.GraphKeys.SUMMARIES, 'tower_0/')))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*tower_grads)]
for g, v in grads:
    tf.summary.histogram(v.op.name + '/gradients', g)
train = opt.apply_gradients(grads)
merged = tf.summary.merge_all()
rng = np.random.RandomState(2)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        feed = {x: rng.randn(4, 2)}
        summary = tf.Summary()
        summary.ParseFromString(sess.run(merged, feed))
        for v in summary.value:
            if v.HasField('histo'):
                print(v.tag, v.histo.num, '%.9g %.9g' % (v.histo.sum, v.histo.sum_squares))
            else:
                print(v.tag, v.simple_value)
        sess.run(train, feed)
