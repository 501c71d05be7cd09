"""The CIFAR-10 network: two convolutions, one hidden layer and a softmax, built anew in each tower.

Parameters are made by tf.get_variable on the CPU. The first tower makes them, the others get the same ones,
because the training script calls reuse_variables().
"""
import re

import tensorflow.compat.v1 as tf

NUM_CLASSES = 10

# The ops of each GPU are prefixed with tower_<i>. The prefix is taken off the names of the summaries, so that
# they look the same with any number of GPUs.
TOWER_NAME = 'tower'

MOVING_AVERAGE_DECAY = 0.999   # for the moving average of the weights
BATCH_NORM_DECAY = 0.9         # for the moving mean and variance of batch norm
BATCH_NORM_EPSILON = 1e-3


def _activation_summary(x):
    """Histogram and sparsity of an activation."""
    tensor_name = re.sub('%s_[0-9]*/' % TOWER_NAME, '', x.op.name)
    tf.summary.histogram(tensor_name + '/activations', x)
    tf.summary.scalar(tensor_name + '/sparsity', tf.nn.zero_fraction(x))


def _variable_on_cpu(name, shape, initializer, trainable=True):
    """A variable in CPU memory, shared by all towers."""
    with tf.device('/cpu:0'):
        var = tf.get_variable(name, shape, dtype=tf.float32, initializer=initializer, trainable=trainable)
    return var


def _variable_with_weight_decay(name, shape, stddev, wd, seed):
    """A variable from a truncated normal distribution; its L2 loss times wd goes to 'losses'."""
    initializer = tf.truncated_normal_initializer(stddev=stddev, seed=seed)
    var = _variable_on_cpu(name, shape, initializer)
    if wd is not None:
        weight_decay = tf.multiply(tf.nn.l2_loss(var), wd, name='weight_loss')
        tf.add_to_collection('losses', weight_decay)
    return var


def _batch_norm(x, is_training):
    """Batch normalization over all dimensions but the last. Leaves its updates in UPDATE_OPS."""
    depth = x.get_shape()[-1]
    beta = _variable_on_cpu('beta', [depth], tf.constant_initializer(0.0))
    gamma = _variable_on_cpu('gamma', [depth], tf.constant_initializer(1.0))
    moving_mean = _variable_on_cpu(
        'moving_mean', [depth], tf.constant_initializer(0.0), trainable=False)
    moving_variance = _variable_on_cpu(
        'moving_variance', [depth], tf.constant_initializer(1.0), trainable=False)
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


def inference(images, batch_norm=False, is_training=True, seed=0):
    """Build the network.

    Args:
      images: float32 [batch_size, 24, 24, 3].
      batch_norm: normalize after each convolution; beta takes the place of the biases.
      is_training: batch norm takes the batch's own statistics, and updates the moving ones.
      seed: the initial weights follow from it.

    Returns:
      Logits, float32 [batch_size, NUM_CLASSES].
    """
    # conv1
    with tf.variable_scope('conv1') as scope:
        kernel = _variable_with_weight_decay('weights', [5, 5, 3, 16], stddev=5e-2, wd=None, seed=seed + 1)
        conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding='SAME')
        if batch_norm:
            pre_activation = _batch_norm(conv, is_training)
        else:
            biases = _variable_on_cpu('biases', [16], tf.constant_initializer(0.0))
            pre_activation = tf.nn.bias_add(conv, biases)
        conv1 = tf.nn.relu(pre_activation, name=scope.name)
        _activation_summary(conv1)

    # pool1
    pool1 = tf.nn.max_pool(conv1, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding='SAME', name='pool1')

    # conv2
    with tf.variable_scope('conv2') as scope:
        kernel = _variable_with_weight_decay('weights', [5, 5, 16, 32], stddev=5e-2, wd=None, seed=seed + 2)
        conv = tf.nn.conv2d(pool1, kernel, [1, 1, 1, 1], padding='SAME')
        if batch_norm:
            pre_activation = _batch_norm(conv, is_training)
        else:
            biases = _variable_on_cpu('biases', [32], tf.constant_initializer(0.1))
            pre_activation = tf.nn.bias_add(conv, biases)
        conv2 = tf.nn.relu(pre_activation, name=scope.name)
        _activation_summary(conv2)

    # pool2
    pool2 = tf.nn.max_pool(conv2, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding='SAME', name='pool2')

    # local3
    with tf.variable_scope('local3') as scope:
        dim = 6 * 6 * 32
        reshape = tf.reshape(pool2, [-1, dim])
        weights = _variable_with_weight_decay('weights', [dim, 96], stddev=0.04, wd=0.004, seed=seed + 3)
        biases = _variable_on_cpu('biases', [96], tf.constant_initializer(0.1))
        local3 = tf.nn.relu(tf.matmul(reshape, weights) + biases, name=scope.name)
        _activation_summary(local3)

    # linear layer: the softmax itself is part of the loss
    with tf.variable_scope('softmax_linear') as scope:
        weights = _variable_with_weight_decay(
            'weights', [96, NUM_CLASSES], stddev=1 / 96.0, wd=None, seed=seed + 4)
        biases = _variable_on_cpu('biases', [NUM_CLASSES], tf.constant_initializer(0.0))
        softmax_linear = tf.add(tf.matmul(local3, weights), biases, name=scope.name)
        _activation_summary(softmax_linear)

    return softmax_linear


def loss(logits, labels):
    """Mean cross entropy of the batch plus every weight decay term, through the 'losses' collection."""
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits, name='cross_entropy_per_example')
    cross_entropy_mean = tf.reduce_mean(cross_entropy, name='cross_entropy')
    tf.add_to_collection('losses', cross_entropy_mean)
    return tf.add_n(tf.get_collection('losses'), name='total_loss')
