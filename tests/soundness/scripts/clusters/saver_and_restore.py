# A Saver of variables on two parameter servers; restored after other steps, partly, and read back.
# tasks: 2 ps, 1 worker
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

with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    a = tf.get_variable('a', [2, 2], initializer=tf.random_normal_initializer(seed=2))
    b = tf.get_variable('b', [2], initializer=tf.ones_initializer())
    x = tf.placeholder(tf.float32, [None, 2])
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.abs(tf.matmul(x, a) * b))
    train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
    saver = tf.train.Saver(max_to_keep=2)
    partly = tf.train.Saver({'b': b})
rng = np.random.RandomState(3)


def steps(sess, count):
    for _ in range(count):
        print('%.9g' % sess.run([loss, train], {x: rng.randn(4, 2)})[0])


with tf.Session(server.target) as sess:
    sess.run(tf.global_variables_initializer())
    steps(sess, 2)
    path = saver.save(sess, os.path.join(folder, 'model'), global_step=step)
    print(os.path.basename(path), [n for n, _ in tf.train.list_variables(path)])
    steps(sess, 2)
    partly.restore(sess, path)
    print(sess.run([a, b]), sess.run(step))
    saver.restore(sess, path)
    print(sess.run([a, b]), sess.run(step))
    steps(sess, 2)
    print(tf.train.load_variable(path, 'a/Adam').tolist())
