# What a worker takes of shared variables after their update, in the same run: copies, moving averages, a new read.
# tasks: 1 ps, 1 worker
import sys

import tensorflow as tf

job, task = sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

with tf.device('/job:worker/task:0'):
    local = tf.get_variable('local', [2], initializer=tf.zeros_initializer(), trainable=False)
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:0')):
    x = tf.placeholder(tf.float32, [2])
    shared = tf.get_variable('shared', [2], initializer=tf.ones_initializer())
    copy = tf.get_variable('copy', [2], initializer=tf.zeros_initializer(), trainable=False)
    loss = tf.reduce_sum(tf.square(shared * x + local))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[shared])
    ema = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([train_op]):
        average = ema.apply([shared])
        pull = tf.assign(local, shared)
        kept = tf.assign(copy, shared)
        computed = tf.identity(shared) * 2.0
        read_again = shared.read_value() * 2.0
        branch = tf.cond(tf.reduce_sum(x) > 3.5, lambda: computed, lambda: read_again)
        alone = tf.identity(shared) + local
    count = tf.get_variable('count', [], initializer=tf.zeros_initializer(), trainable=False)
with tf.device('/job:worker/task:0'):
    counted = tf.assign_add(count, 1.0) * 10.0
with tf.Session(server.target, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        feed = {x: [1.0, 2.0 + step % 2]}
        print([value.tolist() for value in sess.run([pull, kept, computed, read_again, branch], feed)])
        print([value.tolist() for value in sess.run([shared, local, copy])])
        sess.run([average, train_op, pull], feed)
        print(sess.run(ema.average(shared)).tolist(), sess.run(local).tolist())
        sess.run(alone, feed)  # nothing else that needs the update
        print(sess.run(shared).tolist(), sess.run(counted), sess.run(count))
