"""Step 1: what migrate wrote, with one way in: batches from tf.data, the small network, equal towers."""
import os
import re
import time
from datetime import datetime

import numpy as np
import tensorflow.compat.v1 as tf
from absl import app, flags

import cifar10_model
import trainer_data
from tf2towers.runtime import Session, TowerStrategy, graph_mode

graph_mode()

FLAGS = flags.FLAGS

flags.DEFINE_integer('num_gpus', 2, 'How many GPUs to use.')
flags.DEFINE_integer('batch_size', 32, 'Images a tower takes in one step.')
flags.DEFINE_integer('max_steps', 200, 'Number of steps to run.')
flags.DEFINE_float('learning_rate', 0.02, 'Learning rate at the start.')
flags.DEFINE_integer('decay_steps', 8203, 'Steps after which the learning rate drops.')
flags.DEFINE_float('decay_rate', 0.1, 'What the learning rate is multiplied by at each drop.')
flags.DEFINE_float('momentum', 0.9, 'Momentum.')
flags.DEFINE_string('data_dir', '', 'Directory of the binary CIFAR-10. Empty: the embedded digits.')
flags.DEFINE_string('train_dir', '/tmp/cifar10_train', 'Where to write event logs and checkpoints.')
flags.DEFINE_integer('seed', 0, 'The initial weights and the order of the images follow from it.')
flags.DEFINE_integer('log_every', 10, 'Steps between two log lines.')
flags.DEFINE_integer('summary_every', 100, 'Steps between two summaries.')
flags.DEFINE_integer('checkpoint_every', 1000, 'Steps between two checkpoints.')


def input_dataset(images, labels, global_batch_size):
    """The batches, without end, from Python."""
    size = trainer_data.IMAGE_SIZE
    dataset = tf.data.Dataset.from_generator(
        lambda: trainer_data.batches(images, labels, global_batch_size, FLAGS.seed),
        (tf.float32, tf.int32),
        ([global_batch_size, size, size, 3], [global_batch_size]))
    return dataset.prefetch(2)


def tower_loss(scope, images, labels):
    """The total loss of one tower.

    Args:
      scope: the tower's name scope, as 'tower_0/': only the losses under it are this tower's.
      images: float32 [batch_size, 24, 24, 3].
      labels: int32 [batch_size].
    """
    logits = cifar10_model.inference(images, seed=FLAGS.seed)
    # Fills the 'losses' collection; the sum it returns is over all towers so far, so it is made again below.
    _ = cifar10_model.loss(logits, labels)
    losses = tf.get_collection('losses', scope)
    total_loss = tf.add_n(losses, name='total_loss')

    # Moving averages of all the losses of this tower. New variables, also where weights are reused.
    loss_averages = tf.train.ExponentialMovingAverage(0.9, name='avg')
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        loss_averages_op = loss_averages.apply(losses + [total_loss])

    for l in losses + [total_loss]:
        # Remove 'tower_[0-9]/' from the name: the summaries look the same with one GPU and with many.
        loss_name = re.sub('%s_[0-9]*/' % cifar10_model.TOWER_NAME, '', l.op.name)
        cifar10_model.scalar_summary(loss_name + ' (raw)', l)
        cifar10_model.scalar_summary(loss_name, loss_averages.average(l))

    with tf.control_dependencies([loss_averages_op]):
        total_loss = tf.identity(total_loss)
    return total_loss


def train():
    """Build the graph, then run it for --max_steps steps."""
    global_batch_size = FLAGS.batch_size * FLAGS.num_gpus
    train_images, train_labels = trainer_data.load(FLAGS.data_dir)

    strategy = TowerStrategy(FLAGS.num_gpus, parameter_device='/cpu:0')
    with tf.Graph().as_default(), strategy.scope():
        global_step = tf.get_variable(
            'global_step', [], initializer=tf.constant_initializer(0), trainable=False)

        lr = tf.train.exponential_decay(
            FLAGS.learning_rate, global_step, FLAGS.decay_steps, FLAGS.decay_rate, staircase=True)
        opt = tf.train.MomentumOptimizer(lr, FLAGS.momentum)

        dataset = input_dataset(train_images, train_labels, global_batch_size)
        iterator = tf.data.make_initializable_iterator(dataset)
        images, labels = iterator.get_next()
        image_splits = tf.split(images, FLAGS.num_gpus, 0)
        label_splits = tf.split(labels, FLAGS.num_gpus, 0)

        tower_grads = []
        tower_losses = []
        with tf.variable_scope(tf.get_variable_scope()):
            def tower(i):
                with tf.device('/gpu:%d' % i):
                    with tf.name_scope('%s_%d' % (cifar10_model.TOWER_NAME, i)) as scope:
                        loss = tower_loss(scope, image_splits[i], label_splits[i])

                        # The next tower gets the variables this one made.
                        tf.get_variable_scope().reuse_variables()

                        # Keeps the summaries of the last tower.
                        summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)

                        grads = opt.compute_gradients(loss)
                        tower_grads.append(grads)
                        tower_losses.append(loss)
                return summaries

            summaries = strategy.run(tower, args=(strategy.replica_ids,))
            summaries = strategy.experimental_local_results(summaries)[-1]

        grads = strategy.reduce('MEAN', tower_grads)
        mean_loss = tf.reduce_mean(tf.stack(tower_losses), 0)

        summaries.append(cifar10_model.scalar_summary('learning_rate', lr))
        for grad, var in grads:
            summaries.append(cifar10_model.histogram_summary(var.op.name + '/gradients', grad))
        for var in tf.trainable_variables():
            summaries.append(cifar10_model.histogram_summary(var.op.name, var))

        apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)

        # The moving average of the weights, after the step has changed them.
        variable_averages = tf.train.ExponentialMovingAverage(cifar10_model.MOVING_AVERAGE_DECAY, global_step)
        with tf.control_dependencies([apply_gradient_op]):
            variables_averages_op = variable_averages.apply(tf.trainable_variables())
        train_op = tf.group(apply_gradient_op, variables_averages_op)

        saver = tf.train.Saver(tf.global_variables())
        summary_op = tf.summary.merge(summaries)
        init = tf.global_variables_initializer()

        # allow_soft_placement: ops without a GPU kernel, or without the GPU, run on the CPU.
        sess = Session(config=tf.ConfigProto(allow_soft_placement=True))
        sess.run(init)
        sess.run(iterator.initializer)

        summary_writer = tf.summary.FileWriter(FLAGS.train_dir, sess.graph)
        checkpoint_path = FLAGS.train_dir + '/model.ckpt'

        for step in range(FLAGS.max_steps):
            start_time = time.time()
            _, loss_value = sess.run([train_op, mean_loss])
            duration = time.time() - start_time

            assert np.isfinite(loss_value), 'Model diverged with loss = %s' % loss_value

            if step % FLAGS.log_every == 0:
                examples_per_sec = global_batch_size / duration
                format_str = '%s: step %d, loss = %.4f (%.1f examples/sec; %.3f sec/batch)'
                print(format_str % (datetime.now(), step, loss_value, examples_per_sec, duration))

            # Each summary takes a batch from the iterator, which is then not trained on.
            if (step + 1) % FLAGS.summary_every == 0:
                summary_writer.add_summary(sess.run(summary_op), step)

            if (step + 1) % FLAGS.checkpoint_every == 0 or (step + 1) == FLAGS.max_steps:
                saver.save(sess, checkpoint_path, global_step=step)

        summary_writer.close()


def main(argv=None):
    os.makedirs(FLAGS.train_dir, exist_ok=True)
    train()


if __name__ == '__main__':
    app.run(main)
