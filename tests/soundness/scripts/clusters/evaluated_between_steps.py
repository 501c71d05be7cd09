# One worker whose network is fetched in three ways: trained on, its loss alone, and how often it is right.
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
        with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:0')):
            x = tf.placeholder(tf.float32, [None, 3])
            labels = tf.placeholder(tf.int64, [None])
            global_step = tf.Variable(0, name='global_step', trainable=False)
            w = tf.Variable(tf.ones([3, 4]) * [1., -1., .5, 2.], name='w')
            b = tf.Variable(tf.zeros([4]), name='b')
            out = tf.Variable(tf.constant([[1., 0.], [0., 1.], [.5, .5], [-1., 1.]]), name='out')
            with tf.name_scope('hidden'):
                net = tf.nn.xw_plus_b(x, w, b)
                net = tf.nn.relu(net)
            size = tf.reduce_mean(net)
            net = tf.matmul(net, out)
            prediction = tf.nn.softmax(net)
            errors = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=net)
            loss = tf.reduce_mean(errors) + 0.1 * size
            train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=global_step)
            right = tf.equal(tf.argmax(prediction, 1), labels)
            accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
            init = tf.global_variables_initializer()
        watching = tf.train.Supervisor(is_chief=True, global_step=global_step, init_op=init)
        sess = tf.Session(server.target)
        sess.run(init)
        np.random.seed(4)
        images, answers = np.random.randn(20, 3), np.random.randint(2, size=20)
        for number in range(5):
            feed = {x: np.random.randn(6, 3), labels: np.random.randint(2, size=6)}
            value, _ = sess.run([loss, train], feed)
            print('%.9g' % value, '%.9g' % sess.run(loss, feed))
            if number % 2 == 0:
                share, mean = sess.run([accuracy, size], {x: images, labels: answers})
                print(sess.run(global_step), '%.9g' % share, '%.9g' % mean)


if __name__ == '__main__':
    main(sys.argv[2], sys.argv[4], sys.argv[5])
