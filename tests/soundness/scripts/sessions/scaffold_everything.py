# Scaffold: init_op, init_fn, init_feed_dict, ready_op, local_init_op, saver; read through the session.
import sys

import numpy as np
import tensorflow as tf

start = tf.placeholder(tf.float32, [2])
v = tf.Variable(start, name='v')
local = tf.Variable([0, 0], name='local', collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
gs = tf.train.get_or_create_global_step()
loss = tf.reduce_sum(tf.exp(v))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, gs)
double = tf.assign(v, v * 2)


def init_fn(scaffold, session):
    print('init_fn', session.run(v).tolist())
    session.run(double)


scaffold = tf.train.Scaffold(
    init_op=tf.global_variables_initializer(),
    init_feed_dict={start: np.array([0.25, -0.5])},
    init_fn=init_fn,
    local_init_op=tf.group(tf.local_variables_initializer(), tf.tables_initializer()),
    ready_op=tf.report_uninitialized_variables(),
    saver=tf.train.Saver([v, gs], max_to_keep=1))
with tf.train.MonitoredTrainingSession(
        scaffold=scaffold, checkpoint_dir=sys.argv[1], save_checkpoint_secs=None, save_checkpoint_steps=2,
        save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=None,
        hooks=[tf.train.StopAtStepHook(last_step=4)]) as sess:
    print(sess.run(v).tolist(), sess.run(local).tolist())
    while not sess.should_stop():
        print(sess.run([loss, train])[0])
print(scaffold.saver is not None, tf.train.latest_checkpoint(sys.argv[1]).split('-')[-1])
print(tf.train.load_variable(sys.argv[1], 'v').tolist())
