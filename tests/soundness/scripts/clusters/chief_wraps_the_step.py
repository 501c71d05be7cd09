# The chief's step is the workers' and something beside; a collection that the network fills, with a regularizer handed down.
# tasks: 1 ps, 1 worker
import sys

import numpy as np
import tensorflow as tf


def weights(shape, regularizer):
    made = tf.get_variable('weights', shape, initializer=tf.constant_initializer(0.5))
    if regularizer is not None: tf.add_to_collection('losses', regularizer(made))
    return made


def inference(x, regularizer):
    with tf.variable_scope('first'):
        hidden = tf.nn.relu(tf.matmul(x, weights([3, 4], regularizer)) + tf.get_variable(
            'biases', [4], initializer=tf.constant_initializer(0.1)))
    with tf.variable_scope('second'):
        return tf.matmul(hidden, weights([4, 1], regularizer))


def build_model(x, y_, is_chief):
    regularizer = tf.contrib.layers.l2_regularizer(0.01)
    y = inference(x, regularizer)
    global_step = tf.Variable(0, trainable=False)
    error = tf.reduce_mean(tf.square(y - y_))
    loss = error + tf.add_n(tf.get_collection('losses'))
    rate = tf.train.exponential_decay(0.05, global_step, 2, 0.5)
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=global_step)
    if is_chief:
        averages = tf.train.ExponentialMovingAverage(0.9, global_step)
        averages_op = averages.apply(tf.trainable_variables())
        with tf.control_dependencies([averages_op, train_op]):
            train_op = tf.no_op()
    return global_step, loss, train_op


def main(job, task, ps, worker):
    cluster = tf.train.ClusterSpec({'ps': [ps], 'worker': [worker]})
    server = tf.train.Server(cluster, job_name=job, task_index=task)
    if job == 'ps':
        server.join()
    is_chief = (task == 0)
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d' % task)):
        x = tf.placeholder(tf.float32, [None, 3])
        y_ = tf.placeholder(tf.float32, [None, 1])
        global_step, loss, train_op = build_model(x, y_, is_chief)
        init_op = tf.global_variables_initializer()
        sv = tf.train.Supervisor(is_chief=is_chief, init_op=init_op, global_step=global_step)
        sess = sv.prepare_or_wait_for_session(server.target)
        draws = np.random.RandomState(4)
        for _ in range(6):
            xs = draws.randn(5, 3)
            _, value = sess.run([train_op, loss], feed_dict={x: xs, y_: xs[:, :1]})
            print('%.9g' % value)
        sv.stop()


if __name__ == '__main__':
    main(sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5])
