# Two workers that take steps in turn, told by the global step; each says what it read.
# tasks: 1 ps, 2 worker
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
    x = tf.placeholder(tf.float32, [4, 2])
    w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1., -2.]))
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - 1.))
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.1, step, 2, 0.5, staircase=True)
    train = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=step)
    init = tf.global_variables_initializer()
    missing = tf.report_uninitialized_variables()

rng = np.random.RandomState(10 + task)
with tf.Session(server.target) as sess:
    if chief:
        sess.run(init)
    else:
        while len(sess.run(missing)):
            time.sleep(0.1)
    for turn in range(4):
        while sess.run(step) != 2 * turn + task:
            time.sleep(0.01)
        feed = {x: rng.randn(4, 2)}
        print(turn, '%.9g' % sess.run(loss, feed), sess.run([w, rate]))
        sess.run(train, feed)
    while sess.run(step) < 8:
        time.sleep(0.01)
    print(sess.run(w).tolist(), sess.run(step))
