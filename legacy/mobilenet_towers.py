"""Train MobileNetV2 on several GPUs: one tower a GPU, synchronous updates, Adam.

The experiment of modern/mobilenet_mirrored.py, as it was written before there was MirroredStrategy. Each
step, every tower computes the gradients of its part of the batch; the CPU averages them.

    python legacy/mobilenet_towers.py --num_gpus=2 --num_epochs=2

Without --data_dir it trains on scikit-learn's handwritten digits, with small images and a narrow network.
"""
import os
import time

import numpy as np
import tensorflow.compat.v1 as tf

import mobilenet_model
import trainer_data

tf.disable_v2_behavior()

FLAGS = tf.app.flags.FLAGS

tf.app.flags.DEFINE_integer('num_gpus', 2, 'How many GPUs to use.')
tf.app.flags.DEFINE_integer('batch_size', 64, 'Images a tower takes in one step.')
tf.app.flags.DEFINE_integer('num_epochs', 0, 'How often to go through the images. 0: 5, the digits 30.')
tf.app.flags.DEFINE_integer('max_steps', 0, 'Number of steps to run, if it is less. 0: all.')
tf.app.flags.DEFINE_float('learning_rate', 0.0,
                         'Learning rate. 0: 0.001, for the digits 0.006, which falls to 0 by a cosine.')
tf.app.flags.DEFINE_integer('image_size', 0, 'Width of the images. 0: 224, of the digits 32.')
tf.app.flags.DEFINE_float('alpha', 0.0, 'Width of the network. 0: 1.0, for the digits 0.35.')
tf.app.flags.DEFINE_string('data_dir', '', 'A folder of folders of JPEG files. Empty: the digits.')
tf.app.flags.DEFINE_alias('data-dir', 'data_dir')
tf.app.flags.DEFINE_string('train_dir', '/tmp/mobilenet_towers', 'Where to write checkpoints.')
tf.app.flags.DEFINE_integer('seed', 0, 'The initial weights and the order of the images follow from it.')
tf.app.flags.DEFINE_enum('variables', 'cpu', ['cpu', 'gpu'],
                         'Where the variables are. gpu: the first one, which then needs more memory.')
# The last tower's alone: see cifar10_towers.py.
tf.app.flags.DEFINE_enum('update_ops', 'last', ['last', 'all'],
                         'Whose batch-norm updates are run: the last tower\'s, or all towers\'.')
tf.app.flags.DEFINE_integer('log_every', 10, 'Steps between two log lines.')
tf.app.flags.DEFINE_integer('eval_every', 1, 'Epochs between two evaluations, on digits that are not trained on.')

ADAM_EPSILON = 1e-7   # Keras's; tf.train.AdamOptimizer has 1e-8 by itself


def resize(image, label):
    """Any image to float32 [image_size, image_size, 3], from 0 to 1."""
    image = tf.image.resize_images(tf.cast(image, tf.float32), [FLAGS.image_size, FLAGS.image_size])
    return image / 255.0, label


def moved(image, label):
    """A digit, moved by up to 2 pixels."""
    image = tf.pad(image, [[2, 2], [2, 2], [0, 0]])
    return tf.random_crop(image, [32, 32, 3], seed=FLAGS.seed), label


def read_jpeg(filename, label):
    """One file's image, as it is."""
    return tf.image.decode_jpeg(tf.read_file(filename), channels=3), label


def list_jpegs(folder):
    """All JPEG files under the folder's folders, and the numbers of these."""
    kinds = sorted(kind for kind in os.listdir(folder) if os.path.isdir(os.path.join(folder, kind)))
    filenames, labels = [], []
    for label, kind in enumerate(kinds):
        for name in sorted(os.listdir(os.path.join(folder, kind))):
            if name.lower().endswith(('.jpg', '.jpeg')):
                filenames.append(os.path.join(folder, kind, name))
                labels.append(label)
    return filenames, np.array(labels, np.int32), len(kinds)


def input_dataset(global_batch_size, epoch_seed):
    """The shuffled batches of one epoch, all of them full, how many they are, and how many classes there are."""
    if FLAGS.data_dir:
        # Listed class by class: all names are shuffled, before any file is read.
        filenames, labels, num_classes = list_jpegs(FLAGS.data_dir)
        dataset = tf.data.Dataset.from_tensor_slices((filenames, labels))
        dataset = dataset.shuffle(max(1, len(labels)), seed=epoch_seed, reshuffle_each_iteration=False)
        dataset = dataset.map(read_jpeg, num_parallel_calls=4)
    else:
        images, labels = trainer_data.load_digits()
        num_classes = trainer_data.NUM_CLASSES
        dataset = tf.data.Dataset.from_tensor_slices((images, labels))
        dataset = dataset.shuffle(1024, seed=epoch_seed, reshuffle_each_iteration=False).map(moved)
    if len(labels) < global_batch_size:
        raise ValueError('%d images are less than one batch of %d' % (len(labels), global_batch_size))
    dataset = dataset.map(resize, num_parallel_calls=4)
    steps = len(labels) // global_batch_size
    return dataset.batch(global_batch_size, drop_remainder=True).prefetch(2), steps, num_classes


def evaluation(num_classes, alpha):
    """The share of the digits for tests that is classified correctly."""
    images, labels = trainer_data.load_digits('test')
    images, labels = resize(tf.constant(images), tf.constant(labels))
    with tf.name_scope('evaluation'):
        logits = mobilenet_model.inference(images, num_classes, alpha, is_training=False, seed=FLAGS.seed)
        return tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.float32))


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
    """Build the graph, then run it for --num_epochs epochs."""
    FLAGS.image_size = FLAGS.image_size or (224 if FLAGS.data_dir else 32)
    alpha = FLAGS.alpha or (1.0 if FLAGS.data_dir else 0.35)
    num_epochs = FLAGS.num_epochs or (5 if FLAGS.data_dir else 30)
    global_batch_size = FLAGS.batch_size * FLAGS.num_gpus
    mobilenet_model.VARIABLES_DEVICE = '/cpu:0' if FLAGS.variables == 'cpu' else ''

    with tf.Graph().as_default(), tf.device('/cpu:0'):
        global_step = tf.train.get_or_create_global_step()

        epoch_seed = tf.placeholder(tf.int64, [])
        dataset, steps, num_classes = input_dataset(global_batch_size, epoch_seed)
        lr = FLAGS.learning_rate or 0.001
        if not FLAGS.learning_rate and not FLAGS.data_dir:
            lr = tf.train.cosine_decay(0.006, global_step, steps * num_epochs)
        opt = tf.train.AdamOptimizer(lr, epsilon=ADAM_EPSILON)
        iterator = tf.data.make_initializable_iterator(dataset)
        images, labels = iterator.get_next()
        image_splits = tf.split(images, FLAGS.num_gpus)
        label_splits = tf.split(labels, FLAGS.num_gpus)

        tower_grads = []
        tower_losses = []
        tower_hits = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(FLAGS.num_gpus):
                with tf.device('/gpu:%d' % i):
                    with tf.name_scope('tower_%d' % i) as scope:
                        logits = mobilenet_model.inference(
                            image_splits[i], num_classes, alpha, seed=FLAGS.seed)
                        loss = mobilenet_model.loss(logits, label_splits[i])

                        # The next tower gets the variables this one made.
                        tf.get_variable_scope().reuse_variables()

                        # Keeps the last tower's batch-norm updates.
                        update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)

                        # All gradients before any update: it changes the memory that they are computed from.
                        tower_grads.append(opt.compute_gradients(
                            loss, gate_gradients=tf.train.Optimizer.GATE_GRAPH))
                        tower_losses.append(loss)
                        tower_hits.append(tf.reduce_mean(
                            tf.cast(tf.nn.in_top_k(logits, label_splits[i], 1), tf.float32)))

            if not FLAGS.data_dir:
                unseen_accuracy = evaluation(num_classes, alpha)

        if FLAGS.update_ops == 'all':
            update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)

        grads = average_gradients(tower_grads)
        mean_loss = tf.reduce_mean(tf.stack(tower_losses), 0)
        accuracy = tf.reduce_mean(tf.stack(tower_hits), 0)

        with tf.control_dependencies(update_ops):
            train_op = opt.apply_gradients(grads, global_step=global_step)

        saver = tf.train.Saver(tf.global_variables())
        init = tf.global_variables_initializer()

        # allow_soft_placement: without GPUs, and for ops that have no GPU kernel, on the CPU.
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(init)
            step = 0
            for epoch in range(num_epochs):
                epoch_start = time.time()
                sess.run(iterator.initializer, feed_dict={epoch_seed: FLAGS.seed + epoch})
                while not FLAGS.max_steps or step < FLAGS.max_steps:
                    try:
                        _, loss_value, accuracy_value = sess.run([train_op, mean_loss, accuracy])
                    except tf.errors.OutOfRangeError:
                        print('epoch %d: %.2f seconds' % (epoch + 1, time.time() - epoch_start))
                        break
                    assert np.isfinite(loss_value), 'Model diverged with loss = %s' % loss_value
                    if step % FLAGS.log_every == 0:
                        print('step %d, loss = %.4f, accuracy = %.4f' % (step, loss_value, accuracy_value))
                    step += 1
                if not FLAGS.data_dir and (epoch + 1) % FLAGS.eval_every == 0:
                    print('after epoch %d: accuracy = %.4f on other images' % (epoch + 1, sess.run(unseen_accuracy)))
            saver.save(sess, FLAGS.train_dir + '/model.ckpt', global_step=step)


def main(argv=None):
    tf.gfile.MakeDirs(FLAGS.train_dir)
    train()


if __name__ == '__main__':
    tf.app.run()
