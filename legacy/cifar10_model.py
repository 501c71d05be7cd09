"""The CIFAR-10 network: two convolutions, one or two hidden layers and a softmax, built anew in each tower.

Parameters are made by tf.get_variable, on VARIABLES_DEVICE. The first tower makes them, the others get the same
ones, because the training script calls reuse_variables().
"""
import collections

import tensorflow.compat.v1 as tf

NUM_CLASSES = 10

# The ops of each GPU are prefixed with tower_<i>. The prefix is taken off the tags of the summaries, so that
# they look the same with any number of GPUs.
TOWER_NAME = 'tower'

# Where variables are: the CPU, as in the CIFAR-10 tutorial. Empty: the GPU of the tower that makes them, the first.
VARIABLES_DEVICE = '/cpu:0'

MOVING_AVERAGE_DECAY = 0.999   # for the moving average of the weights
BATCH_NORM_DECAY = 0.9         # for the moving mean and variance of batch norm
BATCH_NORM_EPSILON = 1e-3

# Filters of the convolutions, units of the hidden layers, and whether responses are normalized after each pool.
Network = collections.namedtuple('Network', ['filters', 'hidden', 'normalize'])
NETWORKS = {
    'small': Network([16, 32], [96], False),
    'tutorial': Network([64, 64], [384, 192], True),
}


def scalar_summary(tag, value):
    """A summary with this very tag, as tf.scalar_summary made it before TF 1.0, kept in the SUMMARIES collection.

    tf.summary.scalar puts the name scope, 'tower_0/', before the tag, and a number after one that an op has as name.
    """
    summary = tf.raw_ops.ScalarSummary(tags=tag, values=value)
    tf.add_to_collection(tf.GraphKeys.SUMMARIES, summary)
    return summary


def histogram_summary(tag, values):
    """The same as a histogram."""
    summary = tf.raw_ops.HistogramSummary(tag=tag, values=values)
    tf.add_to_collection(tf.GraphKeys.SUMMARIES, summary)
    return summary


def _activation_summary(name, x):
    """Histogram and sparsity of a layer's activation."""
    histogram_summary(name + '/activations', x)
    scalar_summary(name + '/sparsity', tf.nn.zero_fraction(x))


def _variable(name, shape, initializer, trainable=True):
    """A variable that all towers share."""
    with tf.device(VARIABLES_DEVICE):
        var = tf.get_variable(name, shape, dtype=tf.float32, initializer=initializer, trainable=trainable)
    return var


def _variable_with_weight_decay(name, shape, stddev, wd, seed):
    """A variable from a truncated normal distribution; its L2 loss times wd goes to 'losses'."""
    initializer = tf.truncated_normal_initializer(stddev=stddev, seed=seed)
    var = _variable(name, shape, initializer)
    if wd is not None:
        weight_decay = tf.multiply(tf.nn.l2_loss(var), wd, name='weight_loss')
        tf.add_to_collection('losses', weight_decay)
    return var


def _batch_norm(x, is_training):
    """Batch normalization over all dimensions but the last. Leaves its updates in UPDATE_OPS."""
    depth = x.get_shape()[-1]
    beta = _variable('beta', [depth], tf.constant_initializer(0.0))
    gamma = _variable('gamma', [depth], tf.constant_initializer(1.0))
    moving_mean = _variable('moving_mean', [depth], tf.constant_initializer(0.0), trainable=False)
    moving_variance = _variable('moving_variance', [depth], tf.constant_initializer(1.0), trainable=False)
    if is_training:
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        update_mean = tf.assign_sub(
            moving_mean, (moving_mean - mean) * (1.0 - BATCH_NORM_DECAY))
        update_variance = tf.assign_sub(
            moving_variance, (moving_variance - variance) * (1.0 - BATCH_NORM_DECAY))
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update_mean)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update_variance)
    else:
        mean, variance = moving_mean, moving_variance
    return tf.nn.batch_normalization(x, mean, variance, beta, gamma, BATCH_NORM_EPSILON)


def _convolution(x, name, filters, bias, batch_norm, is_training, seed):
    """A convolution of 5x5, with batch norm or biases, and a ReLU."""
    with tf.variable_scope(name) as scope:
        kernel = _variable_with_weight_decay(
            'weights', [5, 5, x.get_shape()[-1], filters], stddev=5e-2, wd=None, seed=seed)
        conv = tf.nn.conv2d(x, kernel, [1, 1, 1, 1], padding='SAME')
        if batch_norm:
            pre_activation = _batch_norm(conv, is_training)
        else:
            biases = _variable('biases', [filters], tf.constant_initializer(bias))
            pre_activation = tf.nn.bias_add(conv, biases)
        conv = tf.nn.relu(pre_activation, name=scope.name)
        _activation_summary(name, conv)
    return conv


def _pool(x, name):
    return tf.nn.max_pool(x, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding='SAME', name=name)


def _normalize(x, name):
    """Each value by those of the neighbouring channels."""
    return tf.nn.lrn(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name=name)


def inference(images, batch_norm=False, is_training=True, seed=0, network='small'):
    """Build the network.

    Args:
      images: float32 [batch_size, 24, 24, 3].
      batch_norm: normalize after each convolution; beta takes the place of the biases.
      is_training: batch norm takes the batch's own statistics, and updates the moving ones.
      seed: the initial weights follow from it.
      network: 'small', or 'tutorial' for the size that the CIFAR-10 tutorial has.

    Returns:
      Logits, float32 [batch_size, NUM_CLASSES].
    """
    filters, hidden, normalize = NETWORKS[network]
    x = _convolution(images, 'conv1', filters[0], 0.0, batch_norm, is_training, seed + 1)
    x = _pool(x, 'pool1')
    if normalize:
        x = _normalize(x, 'norm1')
    x = _convolution(x, 'conv2', filters[1], 0.1, batch_norm, is_training, seed + 2)
    if normalize:
        x = _normalize(x, 'norm2')
    x = _pool(x, 'pool2')

    # local3, and local4 where the network has it
    dim = 6 * 6 * filters[1]
    x = tf.reshape(x, [-1, dim])
    for number, units in enumerate(hidden, 3):
        with tf.variable_scope('local%d' % number) as scope:
            weights = _variable_with_weight_decay(
                'weights', [dim, units], stddev=0.04, wd=0.004, seed=seed + number)
            biases = _variable('biases', [units], tf.constant_initializer(0.1))
            x = tf.nn.relu(tf.matmul(x, weights) + biases, name=scope.name)
            _activation_summary(scope.name, x)
        dim = units

    # linear layer: the softmax itself is part of the loss
    with tf.variable_scope('softmax_linear') as scope:
        weights = _variable_with_weight_decay(
            'weights', [dim, NUM_CLASSES], stddev=1.0 / dim, wd=None, seed=seed + 3 + len(hidden))
        biases = _variable('biases', [NUM_CLASSES], tf.constant_initializer(0.0))
        softmax_linear = tf.add(tf.matmul(x, weights), biases, name=scope.name)
        _activation_summary(scope.name, softmax_linear)

    return softmax_linear


def loss(logits, labels):
    """Mean cross entropy of the batch plus every weight decay term, through the 'losses' collection.

    The collection has the terms of the towers before this one as well.
    """
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits, name='cross_entropy_per_example')
    cross_entropy_mean = tf.reduce_mean(cross_entropy, name='cross_entropy')
    tf.add_to_collection('losses', cross_entropy_mean)
    return tf.add_n(tf.get_collection('losses'), name='loss_so_far')
