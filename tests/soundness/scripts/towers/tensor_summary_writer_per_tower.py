# A FileWriter during tower training; gradients' histograms; events are read back at the end.
import glob
import sys

import numpy as np
import tensorflow as tf

with tf.Graph().as_default() as g:
    x = tf.placeholder(tf.float32, [4, 2])
    step = tf.train.get_or_create_global_step()
    opt = tf.train.GradientDescentOptimizer(0.2)
    tower_grads = []
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
            with tf.variable_scope('p', reuse=i > 0):
                w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1., 2.]))
            loss = tf.reduce_mean(tf.abs(tf.reduce_sum(x[i * 2:i * 2 + 2] * w, 1)), name='loss')
            tf.summary.scalar('loss', loss)
            tower_grads.append(opt.compute_gradients(loss))
    grads = [(tf.reduce_mean(tf.stack([a for a, _ in p]), 0), p[0][1]) for p in zip(*tower_grads)]
    summaries = [tf.summary.histogram(v.op.name + '/gradients', a) for a, v in grads]
    summaries += tf.get_collection(tf.GraphKeys.SUMMARIES, 'tower_1')
    summary_op = tf.summary.merge(summaries)
    train = opt.apply_gradients(grads, step)
    rng = np.random.RandomState(0)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        with tf.summary.FileWriter(sys.argv[1], g) as writer:
            for n in range(4):
                feed = {x: rng.randn(4, 2)}
                if n % 2 == 0:
                    writer.add_summary(sess.run(summary_op, feed), global_step=n)
                sess.run(train, feed)
                print(sess.run(step), sess.run(w).tolist())
for event in tf.train.summary_iterator(glob.glob(sys.argv[1] + '/events*')[0]):
    for v in event.summary.value:
        print(event.step, v.tag, '%.9g' % (v.histo.sum if v.HasField('histo') else v.simple_value))
