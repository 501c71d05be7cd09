"""Train the CIFAR-10 network on several GPUs, as the CIFAR-10 tutorial did: each tower reads its own input.

    python legacy/cifar10_multi_gpu_train.py --num_gpus=2 --max_steps=200
    python legacy/cifar10_eval.py

cifar10_towers.py is the same training with one dataset that is split, and with more flags.
"""
import re
import time
from datetime import datetime

import numpy as np
import tensorflow.compat.v1 as tf

import cifar10_input
import cifar10_model
import trainer_data

tf.disable_v2_behavior()

FLAGS = tf.app.flags.FLAGS

tf.app.flags.DEFINE_integer('num_gpus', 1, 'How many GPUs to use.')
tf.app.flags.DEFINE_integer('batch_size', 128, 'Images a tower takes in one step.')
tf.app.flags.DEFINE_integer('max_steps', 1000000, 'Number of steps to run.')
tf.app.flags.DEFINE_enum('network', 'tutorial', ['small', 'tutorial'], 'Its size.')
tf.app.flags.DEFINE_string('data_dir', '', 'Directory of the binary CIFAR-10. Empty: the embedded digits.')
tf.app.flags.DEFINE_string('train_dir', '/tmp/cifar10_train', 'Where to write event logs and checkpoints.')
tf.app.flags.DEFINE_boolean('log_device_placement', False, 'Log where each op runs.')

INITIAL_LEARNING_RATE = 0.1
NUM_EPOCHS_PER_DECAY = 350.0
LEARNING_RATE_DECAY_FACTOR = 0.1


def tower_loss(scope):
    """The total loss of one tower, on a batch of its own; `scope` is its name scope, as 'tower_0/'."""
    images, labels = cifar10_input.distorted_inputs(FLAGS.data_dir, FLAGS.batch_size)
    logits = cifar10_model.inference(images, network=FLAGS.network)
    # Fills the 'losses' collection; the sum it returns is over all towers so far.
    _ = cifar10_model.loss(logits, labels)
    losses = tf.get_collection('losses', scope)
    total_loss = tf.add_n(losses, name='total_loss')

    loss_averages = tf.train.ExponentialMovingAverage(0.9, name='avg')
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        loss_averages_op = loss_averages.apply(losses + [total_loss])

    for l in losses + [total_loss]:
        # Remove 'tower_[0-9]/' from the name: the summaries look the same with one GPU and with many.
        loss_name = re.sub('%s_[0-9]*/' % cifar10_model.TOWER_NAME, '', l.op.name)
        tf.summary.scalar(loss_name + ' (raw)', l)
        tf.summary.scalar(loss_name, loss_averages.average(l))

    with tf.control_dependencies([loss_averages_op]):
        total_loss = tf.identity(total_loss)
    return total_loss


def average_gradients(tower_grads):
    """The mean of each variable's gradients over the towers: a list of (mean gradient, variable)."""
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = []
        for g, _ in grad_and_vars:
            expanded_g = tf.expand_dims(g, 0)
            grads.append(expanded_g)
        grad = tf.concat(axis=0, values=grads)
        grad = tf.reduce_mean(grad, 0)
        # The variables are shared by the towers: the first tower's will do.
        v = grad_and_vars[0][1]
        grad_and_var = (grad, v)
        average_grads.append(grad_and_var)
    return average_grads


def train():
    """Build the graph, then run it for --max_steps steps."""
    with tf.Graph().as_default(), tf.device('/cpu:0'):
        global_step = tf.get_variable(
            'global_step', [], initializer=tf.constant_initializer(0), trainable=False)

        num_examples = 50000 if FLAGS.data_dir else len(trainer_data.load_digits()[1])
        # As in the tutorial, the batches of one tower count.
        num_batches_per_epoch = num_examples / FLAGS.batch_size
        decay_steps = int(num_batches_per_epoch * NUM_EPOCHS_PER_DECAY)
        lr = tf.train.exponential_decay(INITIAL_LEARNING_RATE, global_step, decay_steps,
                                        LEARNING_RATE_DECAY_FACTOR, staircase=True)
        opt = tf.train.GradientDescentOptimizer(lr)

        tower_grads = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(FLAGS.num_gpus):
                with tf.device('/gpu:%d' % i):
                    with tf.name_scope('%s_%d' % (cifar10_model.TOWER_NAME, i)) as scope:
                        loss = tower_loss(scope)
                        # The next tower gets the variables this one made.
                        tf.get_variable_scope().reuse_variables()
                        # Keeps the summaries of the last tower.
                        summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
                        grads = opt.compute_gradients(loss)
                        tower_grads.append(grads)

        grads = average_gradients(tower_grads)
        summaries.append(tf.summary.scalar('learning_rate', lr))
        for grad, var in grads:
            if grad is not None:
                summaries.append(tf.summary.histogram(var.op.name + '/gradients', grad))
        apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
        for var in tf.trainable_variables():
            summaries.append(tf.summary.histogram(var.op.name, var))

        variable_averages = tf.train.ExponentialMovingAverage(cifar10_model.MOVING_AVERAGE_DECAY, global_step)
        with tf.control_dependencies([apply_gradient_op]):
            variables_averages_op = variable_averages.apply(tf.trainable_variables())
        train_op = tf.group(apply_gradient_op, variables_averages_op)

        saver = tf.train.Saver(tf.global_variables())
        summary_op = tf.summary.merge(summaries)
        init = tf.global_variables_initializer()

        # allow_soft_placement: ops without a GPU kernel, or without the GPU, run on the CPU.
        sess = tf.Session(config=tf.ConfigProto(
            allow_soft_placement=True, log_device_placement=FLAGS.log_device_placement))
        sess.run(init)
        tf.train.start_queue_runners(sess=sess)
        summary_writer = tf.summary.FileWriter(FLAGS.train_dir, sess.graph)

        for step in range(FLAGS.max_steps):
            start_time = time.time()
            _, loss_value = sess.run([train_op, loss])
            duration = time.time() - start_time

            assert not np.isnan(loss_value), 'Model diverged with loss = NaN'

            if step % 10 == 0:
                num_examples_per_step = FLAGS.batch_size * FLAGS.num_gpus
                examples_per_sec = num_examples_per_step / duration
                sec_per_batch = duration / FLAGS.num_gpus
                format_str = '%s: step %d, loss = %.2f (%.1f examples/sec; %.3f sec/batch)'
                print(format_str % (datetime.now(), step, loss_value, examples_per_sec, sec_per_batch))

            if step % 100 == 0:
                summary_str = sess.run(summary_op)
                summary_writer.add_summary(summary_str, step)

            if step % 1000 == 0 or (step + 1) == FLAGS.max_steps:
                saver.save(sess, FLAGS.train_dir + '/model.ckpt', global_step=step)


def main(argv=None):
    if tf.gfile.Exists(FLAGS.train_dir):
        tf.gfile.DeleteRecursively(FLAGS.train_dir)
    tf.gfile.MakeDirs(FLAGS.train_dir)
    train()


if __name__ == '__main__':
    tf.app.run()
