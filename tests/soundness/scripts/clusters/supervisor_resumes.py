# A Supervisor's training, and a second one that goes on from its checkpoint in another graph.
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

rng = np.random.RandomState(8)
for attempt in range(2):
    with tf.Graph().as_default():
        with tf.device(tf.train.replica_device_setter(cluster=cluster)), tf.variable_scope('attempt'):
            x = tf.placeholder(tf.float32, [5])
            step = tf.Variable(0, name='global_step', trainable=False)
            w = tf.Variable([0.1, 0.2, 0.3, 0.4, 0.5], name='w')
            loss = tf.reduce_sum(tf.square(w * x - 1))
            train = tf.train.FtrlOptimizer(0.2, l1_regularization_strength=0.01).minimize(loss, global_step=step)
            tf.summary.scalar('loss', loss)
            forget = tf.assign(w, tf.zeros([5]))
        sv = tf.train.Supervisor(logdir=folder, global_step=step, summary_op=None, save_model_secs=0)
        with sv.managed_session(server.target) as sess:
            print('at', sess.run(step), sess.run(w).tolist())
            while not sv.should_stop() and sess.run(step) < 3 * (attempt + 1):
                _, value = sess.run([train, loss], {x: rng.rand(5)})
                print('%.9g' % value)
            sv.saver.save(sess, sv.save_path, global_step=step)
            sess.run(forget)
            print(sess.run(w).tolist())
print(sorted(f for f in os.listdir(folder) if f.startswith('model') and 'index' in f))
