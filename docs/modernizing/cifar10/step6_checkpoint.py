"""Step 6: the whole state is in the checkpoint; a run goes on where it was, or starts from TF1's weights."""
import os
import time
from datetime import datetime

import keras
import numpy as np
import tensorflow as tf
from absl import app, flags, logging

import cifar10_input
import devices
from cifar10_network import inference
from network import LOSSES, tf1_names

FLAGS = flags.FLAGS

flags.DEFINE_integer('num_gpus', 2, 'How many GPUs to use.')
flags.DEFINE_integer('batch_size', 32, 'Images a tower takes in one step.')
flags.DEFINE_integer('max_steps', 200, 'Number of steps to run.')
flags.DEFINE_float('learning_rate', 0.02, 'Learning rate at the start.')
flags.DEFINE_integer('decay_steps', 8203, 'Steps after which the learning rate drops.')
flags.DEFINE_float('decay_rate', 0.1, 'What the learning rate is multiplied by at each drop.')
flags.DEFINE_float('momentum', 0.9, 'Momentum.')
flags.DEFINE_string('data_dir', '', 'Directory of the binary CIFAR-10. Empty: the embedded digits.')
flags.DEFINE_string('train_dir', '/tmp/cifar10_keras', 'Where to write event logs and checkpoints.')
flags.DEFINE_integer('seed', 0, 'The initial weights and the order of the images follow from it.')
flags.DEFINE_integer('log_every', 10, 'Steps between two log lines.')
flags.DEFINE_integer('summary_every', 100, 'Steps between two summaries.')
flags.DEFINE_integer('checkpoint_every', 1000, 'Steps between two checkpoints.')
flags.DEFINE_string('init_checkpoint', '', 'A checkpoint of step 2 or before to take the first weights from.')


def write_summaries(step, lr, losses, averages, grads, names):
    """What summary_op made, of the step just trained."""
    for name, l, average in zip(LOSSES, losses, averages):
        tf.summary.scalar(name + ' (raw)', l, step)
        tf.summary.scalar(name, average, step)
    tf.summary.scalar('learning_rate', lr, step)
    for grad, (name, var) in zip(grads, names.items()):
        tf.summary.histogram(name + '/gradients', grad, step)
        tf.summary.histogram(name, tf.convert_to_tensor(var), step)


def train():
    """Make the state, then run it for --max_steps steps."""
    global_batch_size = FLAGS.batch_size * FLAGS.num_gpus

    keras.utils.set_random_seed(FLAGS.seed)
    strategy = devices.mirrored(devices.choose_devices(FLAGS.num_gpus))
    with strategy.scope():
        model = inference(batch_norm=False)
        names = tf1_names(model)
        lr = keras.optimizers.schedules.ExponentialDecay(
            FLAGS.learning_rate, FLAGS.decay_steps, FLAGS.decay_rate, staircase=True)
        opt = keras.optimizers.SGD(lr, momentum=FLAGS.momentum)
        opt.build(model.trainable_variables)

    variable_averages = [
        tf.Variable(v, trainable=False, name=name + '/ExponentialMovingAverage')
        for name, v in names.items()]
    loss_averages = [
        [tf.Variable(0.0, trainable=False, name='tower_%d/%s/avg' % (i, name)) for name in LOSSES]
        for i in range(FLAGS.num_gpus)]

    def tower(images, labels):
        with tf.GradientTape() as tape:
            cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, model(images, training=True))
            losses = [*model.losses, tf.reduce_mean(cross_entropy)]
            losses.append(tf.add_n(losses))
            share = losses[-1] / FLAGS.num_gpus
        grads = tape.gradient(share, model.trainable_variables)
        # In a replica the optimizer sums over the replicas, then applies.
        opt.apply_gradients(zip(grads, model.trainable_variables))
        return losses, grads

    @tf.function
    def train_step(images, labels):
        losses, grads = strategy.run(tower, args=(images, labels))
        step = tf.cast(opt.iterations, tf.float32)
        decay = tf.minimum(0.999, (1.0 + step) / (10.0 + step))
        for average, var in zip(variable_averages, model.trainable_variables):
            average.assign_sub((average - tf.convert_to_tensor(var)) * (1.0 - decay))
        for i in range(FLAGS.num_gpus):
            for average, l in zip(loss_averages[i], losses):
                value = strategy.experimental_local_results(l)[i]
                average.assign_sub((average - value) * (1.0 - tf.constant(0.9)))
        mean_loss = strategy.reduce('MEAN', losses[-1], axis=None)
        losses = [strategy.experimental_local_results(l)[-1] for l in losses]
        return mean_loss, losses, [strategy.reduce('SUM', g, axis=None) for g in grads]

    if FLAGS.init_checkpoint:
        reader = tf.train.load_checkpoint(FLAGS.init_checkpoint)
        for (name, var), average in zip(names.items(), variable_averages):
            var.assign(reader.get_tensor(name))
            average.assign(reader.get_tensor(name + '/ExponentialMovingAverage'))
    checkpoint = tf.train.Checkpoint(
        model=model, optimizer=opt, variable_averages=variable_averages, loss_averages=loss_averages)
    manager = tf.train.CheckpointManager(checkpoint, FLAGS.train_dir, max_to_keep=5)
    checkpoint.restore(manager.latest_checkpoint)
    done = int(opt.iterations.numpy())
    iterator = cifar10_input.training_batches(
        strategy, cifar10_input.load(FLAGS.data_dir, 'train'), FLAGS.batch_size, FLAGS.seed, done, distort=False)
    summary_writer = tf.summary.create_file_writer(FLAGS.train_dir)

    for step in range(done, FLAGS.max_steps):
        start_time = time.time()
        mean_loss, losses, grads = train_step(*next(iterator))
        loss_value = mean_loss.numpy()
        duration = time.time() - start_time

        assert np.isfinite(loss_value), 'Model diverged with loss = %s' % loss_value

        if step % FLAGS.log_every == 0:
            examples_per_sec = global_batch_size / duration
            format_str = '%s: step %d, loss = %.4f (%.1f examples/sec; %.3f sec/batch)'
            print(format_str % (datetime.now(), step, loss_value, examples_per_sec, duration))

        if (step + 1) % FLAGS.summary_every == 0:
            with summary_writer.as_default():
                write_summaries(step, lr(step), losses, loss_averages[-1], grads, names)

        if (step + 1) % FLAGS.checkpoint_every == 0 or (step + 1) == FLAGS.max_steps:
            manager.save(step + 1)

    summary_writer.close()


def main(argv=None):
    logging.set_verbosity(logging.WARNING)
    os.makedirs(FLAGS.train_dir, exist_ok=True)
    train()


if __name__ == '__main__':
    app.run(main)
