# Variables of two parameter servers in turn, set in two ways; slots beside their variables.
# tasks: 2 ps, 1 worker
import sys

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)


def build():
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    out = x
    for n, size in enumerate([5, 3, 1]):
        with tf.variable_scope('layer%d' % n):
            w = tf.get_variable('w', [out.shape[1].value, size], initializer=tf.glorot_normal_initializer(seed=n))
            b = tf.get_variable('b', [size], initializer=tf.constant_initializer(0.1))
            out = tf.tanh(tf.matmul(out, w) + b)
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(out))
    return x, loss, tf.train.MomentumOptimizer(0.2, 0.8).minimize(loss, global_step=step)


rng = np.random.RandomState(4)
for kind in ('turns', 'merged'):
    with tf.Graph().as_default():
        setter = tf.train.replica_device_setter(ps_tasks=2, worker_device='/job:worker/task:%d/cpu:0' % task,
                                                merge_devices=kind == 'merged')
        with tf.device(setter), tf.variable_scope(kind):
            x, loss, train = build()
        print([(v.name, v.device) for v in tf.global_variables()])
        with tf.Session(server.target) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                print('%.9g' % sess.run([loss, train], {x: rng.randn(3, 4)})[0])
            print([float(np.abs(v).sum()) for v in sess.run(tf.global_variables())])
