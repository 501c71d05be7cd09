"""Step 4: each replica's batches come from a tf.data pipeline that the strategy makes for it."""
import os
import time
from datetime import datetime

import numpy as np
import tensorflow as tf
from absl import app, flags, logging

import cifar10_input
import devices
from network import LOSSES, Network

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


def write_summaries(step, lr, activations, losses, averages, grads, network):
    """What summary_op made, of the step just trained."""
    for name, x in activations.items():
        tf.summary.histogram(name + '/activations', x, step)
        tf.summary.scalar(name + '/sparsity', tf.nn.zero_fraction(x), step)
    for name, l, average in zip(LOSSES, losses, averages):
        tf.summary.scalar(name + ' (raw)', l, step)
        tf.summary.scalar(name, average, step)
    tf.summary.scalar('learning_rate', lr, step)
    for grad, var in zip(grads, network.trainable_variables):
        tf.summary.histogram(var.name[:-2] + '/gradients', grad, step)
        tf.summary.histogram(var.name[:-2], tf.convert_to_tensor(var), step)


def train():
    """Make the state, then run it for --max_steps steps."""
    global_batch_size = FLAGS.batch_size * FLAGS.num_gpus

    strategy = devices.mirrored(devices.choose_devices(FLAGS.num_gpus))
    with strategy.scope():
        network = Network(FLAGS.seed)
        global_step = tf.Variable(0.0, trainable=False, name='global_step')

        lr = tf.compat.v1.train.exponential_decay(
            FLAGS.learning_rate, global_step, FLAGS.decay_steps, FLAGS.decay_rate, staircase=True)
        opt = tf.compat.v1.train.MomentumOptimizer(lr, FLAGS.momentum)

    variable_averages = [
        tf.Variable(v, trainable=False, name=v.name[:-2] + '/ExponentialMovingAverage')
        for v in network.trainable_variables]
    loss_averages = [
        [tf.Variable(0.0, trainable=False, name='tower_%d/%s/avg' % (i, name)) for name in LOSSES]
        for i in range(FLAGS.num_gpus)]

    def tower(images, labels):
        with tf.GradientTape() as tape:
            activations = network(images)
            losses = network.losses(activations['softmax_linear'], labels)
            share = losses[-1] / FLAGS.num_gpus
        grads = tape.gradient(share, network.trainable_variables)
        # In a replica the optimizer sums over the replicas, then applies.
        opt.apply_gradients(zip(grads, network.trainable_variables), global_step=global_step)
        return activations, losses, grads

    @tf.function
    def train_step(images, labels):
        activations, losses, grads = strategy.run(tower, args=(images, labels))
        decay = tf.minimum(0.999, (1.0 + global_step) / (10.0 + global_step))
        for average, var in zip(variable_averages, network.trainable_variables):
            average.assign_sub((average - tf.convert_to_tensor(var)) * (1.0 - decay))
        for i in range(FLAGS.num_gpus):
            for average, l in zip(loss_averages[i], losses):
                value = strategy.experimental_local_results(l)[i]
                average.assign_sub((average - value) * (1.0 - tf.constant(0.9)))
        mean_loss = strategy.reduce('MEAN', losses[-1], axis=None)
        last = [strategy.experimental_local_results(x)[-1] for x in tf.nest.flatten((activations, losses))]
        activations, losses = tf.nest.pack_sequence_as((activations, losses), last)
        return mean_loss, activations, losses, [strategy.reduce('SUM', g, axis=None) for g in grads]

    iterator = cifar10_input.training_batches(
        strategy, cifar10_input.load(FLAGS.data_dir, 'train'), FLAGS.batch_size, FLAGS.seed, first=0, distort=False)
    summary_writer = tf.summary.create_file_writer(FLAGS.train_dir)
    checkpoint = tf.train.Checkpoint(network=network, optimizer=opt, global_step=global_step)
    checkpoint_path = FLAGS.train_dir + '/model.ckpt'

    for step in range(FLAGS.max_steps):
        start_time = time.time()
        mean_loss, *seen, grads = train_step(*next(iterator))
        loss_value = mean_loss.numpy()
        duration = time.time() - start_time

        assert np.isfinite(loss_value), 'Model diverged with loss = %s' % loss_value

        if step % FLAGS.log_every == 0:
            examples_per_sec = global_batch_size / duration
            format_str = '%s: step %d, loss = %.4f (%.1f examples/sec; %.3f sec/batch)'
            print(format_str % (datetime.now(), step, loss_value, examples_per_sec, duration))

        if (step + 1) % FLAGS.summary_every == 0:
            with summary_writer.as_default():
                write_summaries(step, lr(), *seen, loss_averages[-1], grads, network)

        if (step + 1) % FLAGS.checkpoint_every == 0 or (step + 1) == FLAGS.max_steps:
            checkpoint.save(checkpoint_path)

    summary_writer.close()


def main(argv=None):
    logging.set_verbosity(logging.WARNING)
    os.makedirs(FLAGS.train_dir, exist_ok=True)
    train()


if __name__ == '__main__':
    app.run(main)
