"""Train the CIFAR-10 network on several GPUs: one tower a GPU, synchronous updates.

Each step, every tower takes its part of the batch, and computes the loss and the gradients on its own GPU.
The CPU waits for all towers, and averages the gradients. The parameters are on the CPU, or with --variables=gpu on
the first GPU, where the average is then applied.

    python legacy/cifar10_towers.py --num_gpus=2 --max_steps=200

Without --data_dir it trains on scikit-learn's handwritten digits. The CIFAR-10 tutorial's own training:

    python legacy/cifar10_towers.py --data_dir=cifar-10-batches-bin --batch_size=128 --max_steps=1000000 \
        --learning_rate=0.1 --momentum=0 --network=tutorial
"""
import re
import time
from datetime import datetime

import numpy as np
import tensorflow.compat.v1 as tf

import cifar10_model
import trainer_data

tf.disable_v2_behavior()

FLAGS = tf.app.flags.FLAGS

tf.app.flags.DEFINE_integer('num_gpus', 2, 'How many GPUs to use.')
tf.app.flags.DEFINE_string('gpu_ids', '', 'The GPUs to use, as 0,2. Empty: 0 to num_gpus - 1.')
tf.app.flags.DEFINE_integer('batch_size', 32, 'Images a tower takes in one step.')
tf.app.flags.DEFINE_integer('max_steps', 200, 'Number of steps to run.')
tf.app.flags.DEFINE_float('learning_rate', 0.02, 'Learning rate at the start.')
tf.app.flags.DEFINE_float('epochs_per_decay', 350.0, 'Epochs after which the learning rate drops.')
tf.app.flags.DEFINE_integer('decay_steps', 0, 'The same in steps. 0: epochs_per_decay says it.')
tf.app.flags.DEFINE_float('decay_rate', 0.1, 'What the learning rate is multiplied by at each drop.')
tf.app.flags.DEFINE_float('momentum', 0.9, 'Momentum. 0: plain gradient descent.')
tf.app.flags.DEFINE_boolean('batch_norm', False, 'Train the variant with batch normalization.')
tf.app.flags.DEFINE_enum('network', 'small', ['small', 'tutorial'],
                         'A small network, or one of the size that the CIFAR-10 tutorial has.')
tf.app.flags.DEFINE_enum('variables', 'cpu', ['cpu', 'gpu'],
                         'Where the variables are. gpu: the first one, which then needs more memory.')
# Each update moves the same statistics. Of several the order is not fixed, so that the same seed would not give the
# same bits; and with N towers the moving averages would move N times a step. Hence the default.
tf.app.flags.DEFINE_enum('update_ops', 'last', ['last', 'all'],
                         'Whose batch-norm updates are run: the last tower\'s, or all towers\'.')
tf.app.flags.DEFINE_string('split_by_speed', '', 'Relative speeds of the GPUs, as 1,2. Empty: equal parts.')
tf.app.flags.DEFINE_string('input', 'dataset', 'How batches come in: dataset or feed.')
tf.app.flags.DEFINE_boolean('distort', None, 'Crop, flip, brighten and contrast the images at random. Not set: '
                            'CIFAR-10 from a dataset yes, the digits no (a flipped 2 is not a 2).')
tf.app.flags.DEFINE_integer('preprocess_threads', 8, 'Images distorted at a time. 1: in a fixed order.')
tf.app.flags.DEFINE_string('data_dir', '', 'Directory of the binary CIFAR-10. Empty: the embedded digits.')
tf.app.flags.DEFINE_alias('data-dir', 'data_dir')
tf.app.flags.DEFINE_string('train_dir', '/tmp/cifar10_train', 'Where to write event logs and checkpoints.')
tf.app.flags.DEFINE_integer('seed', 0, 'The initial weights and the order of the images follow from it.')
tf.app.flags.DEFINE_integer('log_every', 10, 'Steps between two log lines.')
tf.app.flags.DEFINE_integer('summary_every', 100, 'Steps between two summaries.')
tf.app.flags.DEFINE_integer('checkpoint_every', 1000, 'Steps between two checkpoints.')
tf.app.flags.DEFINE_boolean('log_device_placement', False, 'Log where each op runs.')


def split_sizes(global_batch_size, gpu_ids):
    """How many images each tower takes: in proportion to --split_by_speed, or equally."""
    if not FLAGS.split_by_speed:
        return [FLAGS.batch_size] * len(gpu_ids)
    try:
        speeds = [float(speed) for speed in FLAGS.split_by_speed.split(',')]
    except ValueError:
        speeds = []
    if len(speeds) != len(gpu_ids) or min(speeds) <= 0:
        raise SystemExit('--split_by_speed=%s: need %d positive numbers' %
                         (FLAGS.split_by_speed, len(gpu_ids)))
    bounds = np.rint(np.cumsum([0.0] + speeds) / sum(speeds) * global_batch_size).astype(int)
    sizes = [int(size) for size in np.diff(bounds)]
    if min(sizes) < 1:
        raise SystemExit('--split_by_speed=%s leaves a tower without images: %s' %
                         (FLAGS.split_by_speed, sizes))
    return sizes


def distorted(image, label):
    """One image for training: uint8 [32, 32, 3] to float32 [24, 24, 3]."""
    image = tf.cast(image, tf.float32)
    image = tf.random_crop(image, [trainer_data.IMAGE_SIZE, trainer_data.IMAGE_SIZE, 3], seed=FLAGS.seed)
    image = tf.image.random_flip_left_right(image, seed=FLAGS.seed)
    # These two do not commute: as in the tutorial, the brightness first.
    image = tf.image.random_brightness(image, max_delta=63, seed=FLAGS.seed)
    image = tf.image.random_contrast(image, lower=0.2, upper=1.8, seed=FLAGS.seed)
    return tf.image.per_image_standardization(image), label


def input_dataset(images, labels, global_batch_size):
    """The batches of both styles, without end, from Python; distorted in threads of their own."""
    distort = bool(FLAGS.data_dir) if FLAGS.distort is None else FLAGS.distort
    size = 32 if distort else trainer_data.IMAGE_SIZE
    dataset = tf.data.Dataset.from_generator(
        lambda: trainer_data.batches(images, labels, global_batch_size, FLAGS.seed, raw=distort),
        (tf.uint8 if distort else tf.float32, tf.int32),
        ([global_batch_size, size, size, 3], [global_batch_size]))
    if distort:
        dataset = dataset.flat_map(lambda *batch: tf.data.Dataset.from_tensor_slices(batch))
        dataset = dataset.map(distorted, num_parallel_calls=FLAGS.preprocess_threads)
        dataset = dataset.batch(global_batch_size, drop_remainder=True)
    return dataset.prefetch(2)


def tower_loss(scope, images, labels):
    """The total loss of one tower.

    Args:
      scope: the tower's name scope, as 'tower_0/': only the losses under it are this tower's.
      images: float32 [size of the tower's part, 24, 24, 3].
      labels: int32 [size of the tower's part].
    """
    logits = cifar10_model.inference(images, batch_norm=FLAGS.batch_norm, seed=FLAGS.seed,
                                     network=FLAGS.network)
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


def average_gradients(tower_grads):
    """The mean of each variable's gradients over the towers. This is where the towers wait for one another.

    Args:
      tower_grads: a list over towers of lists of (gradient, variable).

    Returns:
      A list of (mean gradient, variable).
    """
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        # grad_and_vars is ((grad0_gpu0, var0_gpu0), ..., (grad0_gpuN, var0_gpuN))
        grads = []
        for g, _ in grad_and_vars:
            expanded_g = tf.expand_dims(g, 0)
            grads.append(expanded_g)
        grad = tf.concat(axis=0, values=grads)
        grad = tf.reduce_mean(grad, 0)
        # The variables are shared by the towers: the first tower's will do.
        v = grad_and_vars[0][1]
        average_grads.append((grad, v))
    return average_grads


def train():
    """Build the graph, then run it for --max_steps steps."""
    if min(FLAGS.num_gpus, FLAGS.batch_size) < 1:
        raise SystemExit('--num_gpus=%d, --batch_size=%d: at least 1' % (FLAGS.num_gpus, FLAGS.batch_size))
    named = FLAGS.gpu_ids.split(',')
    if FLAGS.gpu_ids and (len(set(named)) < len(named) or not all(gpu.isdigit() for gpu in named)):
        raise SystemExit('--gpu_ids=%s: name each GPU once, as 0,2' % FLAGS.gpu_ids)
    gpu_ids = [int(gpu) for gpu in FLAGS.gpu_ids.split(',')] if FLAGS.gpu_ids else list(range(FLAGS.num_gpus))
    global_batch_size = FLAGS.batch_size * len(gpu_ids)
    sizes = split_sizes(global_batch_size, gpu_ids)
    train_images, train_labels = trainer_data.load(FLAGS.data_dir)
    if FLAGS.distort and FLAGS.input == 'feed':
        raise ValueError('--distort: batches that are fed are not distorted, see --input')
    cifar10_model.VARIABLES_DEVICE = '/cpu:0' if FLAGS.variables == 'cpu' else ''
    steps_per_epoch = len(train_images) / global_batch_size
    decay_steps = FLAGS.decay_steps or max(1, int(steps_per_epoch * FLAGS.epochs_per_decay))

    with tf.Graph().as_default(), tf.device('/cpu:0'):
        global_step = tf.get_variable(
            'global_step', [], initializer=tf.constant_initializer(0), trainable=False)

        lr = tf.train.exponential_decay(
            FLAGS.learning_rate, global_step, decay_steps, FLAGS.decay_rate, staircase=True)
        if FLAGS.momentum > 0:
            opt = tf.train.MomentumOptimizer(lr, FLAGS.momentum)
        else:
            opt = tf.train.GradientDescentOptimizer(lr)

        # The same batches in both styles: from placeholders fed at each step, or from a tf.data iterator.
        if FLAGS.input == 'feed':
            size = trainer_data.IMAGE_SIZE
            images = tf.placeholder(tf.float32, [global_batch_size, size, size, 3])
            labels = tf.placeholder(tf.int32, [global_batch_size])
        else:
            dataset = input_dataset(train_images, train_labels, global_batch_size)
            iterator = tf.data.make_initializable_iterator(dataset)
            images, labels = iterator.get_next()
        # With unequal sizes a faster GPU takes more images; its gradient counts as much as any other.
        image_splits = tf.split(images, sizes, 0)
        label_splits = tf.split(labels, sizes, 0)

        tower_grads = []
        tower_losses = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i, gpu in enumerate(gpu_ids):
                with tf.device('/gpu:%d' % gpu):
                    with tf.name_scope('%s_%d' % (cifar10_model.TOWER_NAME, i)) as scope:
                        loss = tower_loss(scope, image_splits[i], label_splits[i])

                        # The next tower gets the variables this one made.
                        tf.get_variable_scope().reuse_variables()

                        # Keeps the summaries of the last tower.
                        summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)

                        # Keeps the last tower's batch-norm updates.
                        update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)

                        grads = opt.compute_gradients(loss)
                        tower_grads.append(grads)
                        tower_losses.append(loss)

        if FLAGS.update_ops == 'all':
            update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)

        grads = average_gradients(tower_grads)
        mean_loss = tf.reduce_mean(tf.stack(tower_losses), 0)

        summaries.append(cifar10_model.scalar_summary('learning_rate', lr))
        for grad, var in grads:
            if grad is not None:
                summaries.append(cifar10_model.histogram_summary(var.op.name + '/gradients', grad))
        for var in tf.trainable_variables():
            summaries.append(cifar10_model.histogram_summary(var.op.name, var))

        with tf.control_dependencies(update_ops):
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
        sess = tf.Session(config=tf.ConfigProto(
            allow_soft_placement=True, log_device_placement=FLAGS.log_device_placement))
        sess.run(init)
        if FLAGS.input == 'feed':
            train_batches = trainer_data.batches(train_images, train_labels, global_batch_size, FLAGS.seed)
        else:
            sess.run(iterator.initializer)

        summary_writer = tf.summary.FileWriter(FLAGS.train_dir, sess.graph)
        checkpoint_path = FLAGS.train_dir + '/model.ckpt'

        for step in range(FLAGS.max_steps):
            start_time = time.time()
            if FLAGS.input == 'feed':
                batch_images, batch_labels = next(train_batches)
                _, loss_value = sess.run([train_op, mean_loss],
                                         feed_dict={images: batch_images, labels: batch_labels})
            else:
                _, loss_value = sess.run([train_op, mean_loss])
            duration = time.time() - start_time

            assert np.isfinite(loss_value), 'Model diverged with loss = %s' % loss_value

            if step % FLAGS.log_every == 0:
                examples_per_sec = global_batch_size / duration
                format_str = '%s: step %d, loss = %.4f (%.1f examples/sec; %.3f sec/batch)'
                print(format_str % (datetime.now(), step, loss_value, examples_per_sec, duration))

            # In the dataset style each summary takes a batch from the iterator, which is then not trained on.
            if (step + 1) % FLAGS.summary_every == 0:
                if FLAGS.input == 'feed':
                    summary_str = sess.run(summary_op, feed_dict={images: batch_images, labels: batch_labels})
                else:
                    summary_str = sess.run(summary_op)
                summary_writer.add_summary(summary_str, step)

            if (step + 1) % FLAGS.checkpoint_every == 0 or (step + 1) == FLAGS.max_steps:
                saver.save(sess, checkpoint_path, global_step=step)

        summary_writer.close()


def main(argv=None):
    tf.gfile.MakeDirs(FLAGS.train_dir)
    train()


if __name__ == '__main__':
    tf.app.run()
