# Each session of a worker has iterators of its own, also two at once, and begins one-shot ones; one with a shared name is
# all sessions', as a variable on the worker is.
# tasks: 1 ps, 1 worker
import sys

import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d' % task)):
    numbers = tf.data.Dataset.range(6)
    total = tf.get_variable('total', [], tf.int64, initializer=tf.zeros_initializer())
    once = numbers.make_one_shot_iterator().get_next()
    begun = numbers.make_initializable_iterator()
    shared = numbers.make_initializable_iterator(shared_name='everybodys')
    again = begun.get_next()
    common = shared.get_next()
    add = tf.assign_add(total, once)
with tf.device('/job:worker/task:%d' % task):
    local = tf.get_variable('local', [], initializer=tf.ones_initializer())


def show(sess, *fetches):
    for fetch in fetches:
        try:
            print(sess.run(fetch), end=' ')
        except tf.errors.OpError as error:
            print(type(error).__name__, end=' ')
    print()


for number in range(3):
    with tf.Session(server.target) as sess:
        if number == 0:
            sess.run([total.initializer, local.initializer, shared.initializer])
        if number < 2:
            sess.run(begun.initializer)
        show(sess, once, add, once, again, again, tf.assign_add(local, 1.0), total)
one, two = tf.Session(server.target), tf.Session(server.target)
one.run([begun.initializer, shared.initializer])
show(one, once, again, common)
show(two, once, again, common)
two.run(begun.initializer)
show(one, once, again, common)
show(two, once, again, common)
