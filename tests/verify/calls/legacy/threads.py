"""Two towers whose batches threads make, with random changes, as they happen to come."""

import sys

import numpy as np
import tensorflow as tf

TOWERS = 2
DISTORTION = 0.25


ROWS = np.arange(400, dtype=np.float32).reshape(100, 4) / 100
LABELS = np.arange(100, dtype=np.int64) % 3


def distorted(row, label):
    return row + tf.random_uniform([4], -DISTORTION, DISTORTION), label, tf.as_string(label)


def from_queue():
    row, label, name = distorted(*tf.train.slice_input_producer([ROWS, LABELS], shuffle=True))
    batches = tf.train.shuffle_batch(
        [row, label, name], batch_size=8, num_threads=4, capacity=60, min_after_dequeue=20
    )
    return tf.contrib.slim.prefetch_queue.prefetch_queue(list(batches), capacity=4).dequeue


def from_dataset():
    dataset = tf.data.Dataset.from_tensor_slices((ROWS, LABELS)).repeat()
    dataset = dataset.map(distorted, num_parallel_calls=4).batch(8, drop_remainder=True)
    return dataset.make_one_shot_iterator().get_next


def tower_loss(row, label):
    weights = tf.get_variable("weights", [4, 3], initializer=tf.truncated_normal_initializer(stddev=0.5))
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=tf.matmul(row, weights))
    return tf.reduce_mean(losses)


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        average_grads.append((tf.reduce_mean(tf.concat(grads, 0), 0), grad_and_vars[0][1]))
    return average_grads


def main(_):
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        take = from_dataset() if "dataset" in sys.argv else from_queue()
        opt = tf.train.MomentumOptimizer(0.1, 0.9)
        tower_grads = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(TOWERS):
                with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
                    row, label, name = take()
                    loss = tower_loss(row, label)
                    tf.get_variable_scope().reuse_variables()
                    tower_grads.append(opt.compute_gradients(loss))
        grads = average_gradients(tower_grads)
        train_op = opt.apply_gradients(grads)
        summary_op = tf.summary.merge_all()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            for step in range(6):
                _, value, names = sess.run([train_op, loss, name])
                print(step, value, names)
                if step % 3 == 2 and summary_op is not None:
                    sess.run(summary_op)
            coord.request_stop()
            coord.join(threads)


if __name__ == "__main__":
    tf.app.run(main, sys.argv[:1])
