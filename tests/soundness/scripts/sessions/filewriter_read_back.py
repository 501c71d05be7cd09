# FileWriter with the graph and summaries; the event file is read back.
import glob
import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [3])
w = tf.Variable(0.5, name='w')
with tf.name_scope('train'):
    loss = tf.reduce_mean((x * w - 1.0) ** 2, name='loss')
tf.summary.scalar('loss', loss)
tf.summary.scalar('weight', w)
tf.summary.histogram('inputs', x)
merged = tf.summary.merge_all()
train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
rng = np.random.RandomState(0)
with tf.Session() as sess:
    writer = tf.summary.FileWriter(sys.argv[1], sess.graph)
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        feed = {x: rng.rand(3)}
        writer.add_summary(sess.run(merged, feed), i)
        sess.run(train, feed)
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='by hand', simple_value=2.5)]), 4)
    writer.close()
graphs = 0
for path in glob.glob(sys.argv[1] + '/events*'):
    for event in tf.train.summary_iterator(path):
        graphs += event.HasField('graph_def')
        for value in event.summary.value:
            number = value.histo.sum if value.HasField('histo') else value.simple_value
            print(event.step, value.tag, '%.9g' % number)
print('graphs', graphs)
