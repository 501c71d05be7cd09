# Local variables that are trained, and sent to the parameter server every other step; two workers in turn.
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

worker = '/job:worker/task:%d' % task
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=worker)):
    shared = tf.get_variable('shared', [2], initializer=tf.constant_initializer([0.5, -0.5]))
    turn = tf.get_variable('turn', [], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
with tf.device(worker):
    own = tf.get_variable('own', [2], initializer=tf.zeros_initializer(), collections=[tf.GraphKeys.LOCAL_VARIABLES])
    seen = tf.Variable(0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name='seen')
    x = tf.placeholder(tf.float32, [3, 2])
    loss = tf.reduce_sum(tf.square(x * own - 1.0))
    grad = tf.gradients(loss, own)[0]
    pull = tf.assign(own, shared)
    with tf.control_dependencies([tf.assign_add(seen, 1)]):
        train = tf.assign_sub(own, 0.05 * grad)
    push = tf.assign_add(shared, 0.5 * (own - shared))
    pass_on = tf.assign_add(turn, 1)

print(own.device, shared.device, [v.name for v in tf.local_variables()], [v.name for v in tf.global_variables()])
rng = np.random.RandomState(task)
with tf.Session(server.target) as sess:
    if task == 0:
        sess.run(tf.global_variables_initializer())
    else:
        while len(sess.run(tf.report_uninitialized_variables(tf.global_variables()))):
            time.sleep(0.1)
    sess.run(tf.local_variables_initializer())
    for round_ in range(3):
        while sess.run(turn) != 2 * round_ + task:
            time.sleep(0.01)
        sess.run(pull)
        for _ in range(2):
            value, _ = sess.run([loss, train], {x: rng.randn(3, 2)})
            print('%.9g' % value, sess.run(own).tolist())
        print(sess.run(push).tolist(), sess.run(seen))
        sess.run(pass_on)
    while sess.run(turn) < 6:
        time.sleep(0.01)
    print(sess.run(shared).tolist(), sess.run(own).tolist())
