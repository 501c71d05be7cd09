# A plain session on a server's target: Adam, its slots, what is on the parameter server.
# tasks: 1 ps, 1 worker
import sys

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d' % task)):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None])
    w = tf.get_variable('w', [3, 4], initializer=tf.random_normal_initializer(seed=3))
    b = tf.get_variable('b', [4], initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.nn.xw_plus_b(x, w, b))
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(hidden, 1) - y))
    step = tf.train.get_or_create_global_step()
    opt = tf.train.AdamOptimizer(0.05)
    train = opt.minimize(loss, global_step=step)

print([(v.name, v.device) for v in tf.global_variables()])
rng = np.random.RandomState(0)
with tf.Session(server.target) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        value, _ = sess.run([loss, train], {x: rng.randn(6, 3), y: rng.randn(6)})
        print('%.9g' % value, sess.run(step))
    print(sess.run(w).tolist(), sess.run(opt.get_slot(w, 'm')).tolist(), sess.run(opt.get_slot(b, 'v')).tolist())
