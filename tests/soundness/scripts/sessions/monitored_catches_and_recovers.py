# A MonitoredSession's own errors: an exception in the body closes it, OutOfRange ends it quietly, the values are kept.
import sys

import tensorflow as tf

gs = tf.train.get_or_create_global_step()
v = tf.Variable(1.0, name='v')
limit = tf.Variable(0, trainable=False, name='limit')
tick = limit.count_up_to(3)
with tf.control_dependencies([tick]):
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(v - 3.0), gs)


class Ends(tf.train.SessionRunHook):
    def end(self, session):
        print('end', session.run([gs, v]))


def session():
    return tf.train.MonitoredTrainingSession(
        checkpoint_dir=sys.argv[1], hooks=[Ends()], save_checkpoint_secs=None, save_checkpoint_steps=1,
        save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=None)


try:
    with session() as sess:
        sess.run(train)
        raise KeyError('out of the body')
except KeyError as e:
    print('KeyError', e)
with session() as sess:
    print('again', sess.run([gs, v]), sess.should_stop())
    while not sess.should_stop():
        sess.run(train)
print(tf.train.load_variable(sys.argv[1], 'limit'), tf.train.load_variable(sys.argv[1], 'global_step'))
