# Functions that make the placeholders and the step for their one caller, which calls them by names of its own.
# tasks: 1 ps, 1 worker
import sys

import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_float('rate', 0.05, 'learning rate')


def weight_variable(shape):
    """A weight of a given shape."""
    # drawn once
    initial = tf.truncated_normal(shape, stddev=0.5, seed=3)
    return tf.Variable(initial)


def bias_variable(shape):
    initial = tf.constant(0.1, shape=shape)
    return tf.Variable(initial)


def network(x, size):
    """Scores of three classes.

    Returns the scores, and the share of the hidden units that is kept.
    """
    # two layers of one shape
    with tf.name_scope('first'):
        w_first = weight_variable([4, size])
        b_first = bias_variable([size])
        hidden = tf.nn.relu(tf.matmul(x, w_first) + b_first)  # of all units

    with tf.name_scope('dropout'):
        keep_prob = tf.placeholder(tf.float32)
        hidden = tf.nn.dropout(hidden, keep_prob)

    with tf.name_scope('second'):
        w_second = weight_variable([size, 4])
        b_second = bias_variable([4])
        scores = tf.matmul(hidden, w_second) + b_second
    return scores, keep_prob  # the caller feeds it


def build(rate, momentum=0.9):
    # what is fed
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.placeholder(tf.int64, [None])
    scores, keep_prob = network(x, 4)
    with tf.name_scope('loss'):
        loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=scores)
        loss = tf.reduce_mean(loss)
    global_step = tf.train.get_or_create_global_step()
    step = tf.train.MomentumOptimizer(rate, momentum).minimize(loss, global_step=global_step)
    with tf.name_scope('accuracy'):
        right = tf.cast(tf.equal(tf.argmax(scores, 1), y), tf.float32)
    accuracy = tf.reduce_mean(right)

    return x, y, keep_prob, global_step, step, loss, accuracy
    # nothing more


def main(_):
    job, worker_index = sys.argv[2], int(sys.argv[3])
    cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
    server = tf.train.Server(cluster, job_name=job, task_index=worker_index)
    if job == 'ps':
        server.join()
        return
    with tf.device(tf.train.replica_device_setter(cluster=cluster,
                                                  worker_device='/job:worker/task:%d' % worker_index)):
        features, labels, keep, count, train_op, loss, accuracy = build(FLAGS.rate)
    draws = np.random.RandomState(4)
    hooks = [tf.train.StopAtStepHook(last_step=6)]
    with tf.train.MonitoredTrainingSession(server.target, is_chief=(worker_index == 0), hooks=hooks) as sess:
        while not sess.should_stop():
            batch = draws.randn(6, 4), draws.randint(0, 4, 6)
            number = sess.run(count)  # beside the step it is read before or after it, as it happens
            value, _, share = sess.run([loss, train_op, accuracy],
                                       {features: batch[0], labels: batch[1], keep: 1.0})
            print(number, '%.9g %.9g' % (value, share), batch[0].shape)


if __name__ == '__main__':
    tf.app.run(main, sys.argv[:1])
