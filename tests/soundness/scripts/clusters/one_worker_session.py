# One worker, written down as such: its own session, a Supervisor that nothing asks, a function in the one that trains.
# tasks: 1 ps, 1 worker
import sys

import numpy as np
import tensorflow as tf


def main(job, ps, worker):
    cluster = tf.train.ClusterSpec({'ps': [ps], 'worker': [worker]})
    server = tf.train.Server(cluster, job_name=job, task_index=0)
    if job == 'ps':
        server.join()
    elif job == 'worker':
        def size_of(value, share=0.5):
            tf.summary.scalar('size', tf.reduce_mean(value))
            return share * tf.reduce_mean(tf.square(value))

        with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:0')):
            x = tf.placeholder(tf.float32, [None, 3]); y = tf.placeholder(tf.float32, [None])
            global_step = tf.Variable(0, name='global_step', trainable=False)
            w = tf.Variable(tf.ones([3, 4]), name='w')
            b = tf.Variable(tf.zeros([4]), name='b')
            hidden = tf.nn.relu(tf.nn.xw_plus_b(x, w, b))
            loss = tf.reduce_mean(tf.square(tf.reduce_sum(hidden, 1) - y)) + size_of(hidden)
            train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=global_step)
            merged = tf.summary.merge_all()
            init = tf.global_variables_initializer()
        watching = tf.train.Supervisor(is_chief=True, global_step=global_step, init_op=init)
        sess = tf.Session(server.target)
        sess.run(init)
        np.random.seed(4)
        for number in range(5):
            value, text, _ = sess.run([loss, merged, train], {x: np.random.randn(6, 3), y: np.random.randn(6)})
            print('%.9g' % value, len(text))
            if number == 3: print(sess.run(global_step))


if __name__ == '__main__':
    main(sys.argv[2], sys.argv[4], sys.argv[5])
