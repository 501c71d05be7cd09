# One worker, MonitoredTrainingSession: the checkpoint, stop and log hooks, and one of its own.
# tasks: 1 ps, 1 worker
import os
import sys

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)


class Watch(tf.train.SessionRunHook):
    def __init__(self, fetches):
        self.fetches, self.seen = fetches, []

    def after_create_session(self, session, coord):
        print('created', [session.run(self.fetches['w']).sum()])

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.fetches, feed_dict={scale: 2.0})

    def after_run(self, run_context, run_values):
        self.seen.append('%.9g' % run_values.results['loss'])

    def end(self, session):
        print('end', session.run(self.fetches['w']).tolist())


with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    scale = tf.placeholder_with_default(1.0, [], name='scale')
    step = tf.train.get_or_create_global_step()
    data = tf.data.Dataset.from_tensor_slices(np.arange(24, dtype=np.float32).reshape(12, 2) / 10).repeat().batch(3)
    batch = tf.compat.v1.data.make_one_shot_iterator(data).get_next()
    w = tf.get_variable('w', [2], initializer=tf.constant_initializer([.3, -.1]))
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(batch * w, 1) * scale - 1))
    train = tf.train.RMSPropOptimizer(0.01).minimize(loss, global_step=step)
watch = Watch({'loss': loss, 'w': w})
hooks = [tf.train.StopAtStepHook(num_steps=6), watch]
with tf.train.MonitoredTrainingSession(server.target, is_chief=True, checkpoint_dir=folder, hooks=hooks,
                                       save_checkpoint_steps=2, save_summaries_steps=None, log_step_count_steps=None) as sess:
    while not sess.should_stop():
        sess.run(train)
print(watch.seen)
print([n for n, _ in tf.train.list_variables(tf.train.latest_checkpoint(folder))],
      os.path.basename(tf.train.latest_checkpoint(folder)))
