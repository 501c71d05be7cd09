# SyncReplicasOptimizer's session hook in a MonitoredTrainingSession, sparse gradients among them.
# tasks: 1 ps, 2 worker
import os
import sys
import time

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

chief = task == 0
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d' % task)):
    ids = tf.placeholder(tf.int32, [None])
    table = tf.get_variable('table', [6, 2], initializer=tf.random_normal_initializer(seed=1))
    scale = tf.get_variable('scale', [2], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.nn.embedding_lookup(table, ids) * scale - 0.5))
    step = tf.train.get_or_create_global_step()
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 2, total_num_replicas=2)
    grads = opt.compute_gradients(loss)
    train = opt.apply_gradients(grads, global_step=step)
print([type(g).__name__ for g, _ in grads], opt.get_slot_names())


class Ready(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        open(ready, 'w').close()


ready = os.path.join(folder, 'ready')
while not chief and not os.path.exists(ready):  # or it looks again after 30 s only
    time.sleep(0.05)
hooks = [opt.make_session_run_hook(chief, num_tokens=0), tf.train.StopAtStepHook(last_step=5)] + ([Ready()] if chief else [])
rng = np.random.RandomState(20 + task)
with tf.train.MonitoredTrainingSession(server.target, is_chief=chief, hooks=hooks, stop_grace_period_secs=5) as sess:
    for turn in range(4):
        value, _ = sess.run([loss, train], {ids: rng.randint(6, size=5)})
        print(turn, '%.9g' % value)
    print('ends', sess.should_stop())
