# SummarySaverHook and StepCounterHook with an event file that is read back; feed hook; last step by hook.
import glob
import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2], name='x')
w = tf.Variable([0.5, 0.5])
gs = tf.train.get_or_create_global_step()
loss = tf.reduce_sum((x - w) ** 2)
tf.summary.scalar('loss', loss)
train = tf.train.GradientDescentOptimizer(0.2).minimize(loss, gs)


class Feed(tf.train.SessionRunHook):
    def __init__(self):
        self.rng = np.random.RandomState(0)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(fetches=[], feed_dict={x: self.rng.rand(2)})


hooks = [Feed(), tf.train.StopAtStepHook(last_step=5),
         tf.train.SummarySaverHook(save_steps=2, output_dir=sys.argv[1], summary_op=tf.summary.merge_all())]
with tf.train.SingularMonitoredSession(hooks=hooks) as sess:
    while not sess.should_stop():
        print('%.9g' % sess.run([loss, train])[0])
tf.summary.FileWriterCache.clear()
for path in glob.glob(sys.argv[1] + '/events*'):
    for event in tf.train.summary_iterator(path):
        for value in event.summary.value:
            print(event.step, value.tag, '%.9g' % value.simple_value)
