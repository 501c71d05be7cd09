"""Evaluate the CIFAR-10 network on images that it was not trained on, with the moving averages of its weights.

    python legacy/cifar10_eval.py --checkpoint_dir=/tmp/cifar10_train --run_once
"""
import time
from datetime import datetime

import numpy as np
import tensorflow.compat.v1 as tf

import cifar10_input
import cifar10_model

tf.disable_v2_behavior()

FLAGS = tf.app.flags.FLAGS

tf.app.flags.DEFINE_integer('batch_size', 128, 'Images in one step.')
tf.app.flags.DEFINE_enum('network', 'tutorial', ['small', 'tutorial'], 'The size that was trained.')
tf.app.flags.DEFINE_string('data_dir', '', 'Directory of the binary CIFAR-10. Empty: the embedded digits.')
tf.app.flags.DEFINE_string('checkpoint_dir', '/tmp/cifar10_train', 'Where the training wrote its checkpoints.')
tf.app.flags.DEFINE_string('eval_dir', '/tmp/cifar10_eval', 'Where to write event logs.')
tf.app.flags.DEFINE_integer('eval_interval_secs', 60 * 5, 'Seconds between two evaluations.')
tf.app.flags.DEFINE_boolean('run_once', False, 'Evaluate the newest checkpoint, and end.')


def eval_once(saver, summary_writer, top_k_op, graph_step):
    """Evaluates the newest checkpoint. False: there is none."""
    with tf.Session() as sess:
        checkpoint = tf.train.get_checkpoint_state(FLAGS.checkpoint_dir)
        if not (checkpoint and checkpoint.model_checkpoint_path):
            print('No checkpoint file found')
            return False
        sess.run(tf.local_variables_initializer())
        saver.restore(sess, checkpoint.model_checkpoint_path)

        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        hits, number = 0, 0
        try:
            while not coord.should_stop():
                predictions = sess.run(top_k_op)
                hits += np.sum(predictions)
                number += len(predictions)
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)

        precision = hits / float(number)
        print('%s: precision @ 1 = %.3f' % (datetime.now(), precision))
        summary = tf.Summary()
        summary.value.add(tag='Precision @ 1', simple_value=precision)
        summary_writer.add_summary(summary, sess.run(graph_step))
    return True


def evaluate():
    """Build the graph, then evaluate once, or at every interval."""
    with tf.Graph().as_default():
        images, labels = cifar10_input.inputs(FLAGS.data_dir, FLAGS.batch_size)
        logits = cifar10_model.inference(images, is_training=False, network=FLAGS.network)
        top_k_op = tf.nn.in_top_k(logits, labels, 1)
        graph_step = tf.get_variable('global_step', [], initializer=tf.constant_initializer(0), trainable=False)

        # The moving averages take the places of the weights.
        averages = tf.train.ExponentialMovingAverage(cifar10_model.MOVING_AVERAGE_DECAY)
        names = averages.variables_to_restore()
        saver = tf.train.Saver(names)
        summary_writer = tf.summary.FileWriter(FLAGS.eval_dir, tf.get_default_graph())
        while True:
            eval_once(saver, summary_writer, top_k_op, graph_step)
            if FLAGS.run_once:
                break
            time.sleep(FLAGS.eval_interval_secs)
        summary_writer.close()


def main(argv=None):
    tf.gfile.MakeDirs(FLAGS.eval_dir)
    evaluate()


if __name__ == '__main__':
    tf.app.run()
