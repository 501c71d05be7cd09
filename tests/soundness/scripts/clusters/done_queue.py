# The parameter server takes a word from each worker out of a queue of its own, and ends.
# ps ends
# tasks: 1 ps, 2 worker
import sys
import time

import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
workers = sys.argv[5].split(',')
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': workers})
server = tf.train.Server(cluster, job_name=job, task_index=task)


def done_queue():
    with tf.device('/job:ps/task:0'):
        return tf.FIFOQueue(len(workers), tf.int32, shared_name='done_queue0')


if job == 'ps':
    queue = done_queue()
    get = queue.dequeue()
    with tf.Session(server.target, config=tf.ConfigProto(device_filters=['/job:ps'])) as sess:
        got = sorted(sess.run(get) for _ in workers)
        print('ps: all have come', got, sess.run(queue.size()))
else:
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d' % task)):
        count = tf.get_variable('count', [], initializer=tf.zeros_initializer())
        mine = tf.get_variable('mine%d' % task, [3], initializer=tf.constant_initializer(task + 1.5))
        add = tf.assign_add(count, tf.reduce_sum(mine), use_locking=True)
        init, init_mine = tf.variables_initializer([count]), tf.variables_initializer([mine])
        missing = tf.report_uninitialized_variables([count])
    put = done_queue().enqueue(task + 10)
    config = tf.ConfigProto(device_filters=['/job:ps', '/job:worker/task:%d' % task])
    with tf.Session(server.target, config=config) as sess:
        if task == 0:
            sess.run(init)
        while len(sess.run(missing)):
            time.sleep(0.05)
        sess.run(init_mine)
        for _ in range(4):
            sess.run(add)
        while sess.run(count) != 4 * 4.5 + 4 * 7.5:
            time.sleep(0.02)
        print(task, sess.run(count), sess.run(mine).tolist())
        sess.run(put)
