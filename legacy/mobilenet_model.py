"""MobileNetV2 in TF1: the network of keras.applications.MobileNetV2, built anew in each tower.

Every variable has the name and the shape that Keras gives it, as 'block_1_expand/kernel' or 'bn_Conv1/gamma'.
"""
import tensorflow.compat.v1 as tf

BATCH_NORM_MOMENTUM = 0.9   # Keras has 0.999, for longer trainings: 115 steps leave 89 % of the first statistics
BATCH_NORM_EPSILON = 1e-3

# Of each block: filters, stride of the depthwise convolution, how many times wider it is inside.
BLOCKS = [
    (16, 1, 1),
    (24, 2, 6), (24, 1, 6),
    (32, 2, 6), (32, 1, 6), (32, 1, 6),
    (64, 2, 6), (64, 1, 6), (64, 1, 6), (64, 1, 6),
    (96, 1, 6), (96, 1, 6), (96, 1, 6),
    (160, 2, 6), (160, 1, 6), (160, 1, 6),
    (320, 1, 6),
]
LAST_FILTERS = 1280

# Where variables are. Empty: the GPU of the tower that makes them, the first.
VARIABLES_DEVICE = '/cpu:0'


def make_divisible(v, divisor=8):
    """The multiple of 8 nearest to v, but not more than a tenth below it."""
    nearest = max(divisor, int(v + divisor / 2.0) // divisor * divisor)
    return nearest + divisor if nearest < 0.9 * v else nearest


def _variable(name, shape, initializer, trainable=True):
    """A variable that all towers share."""
    with tf.device(VARIABLES_DEVICE):
        return tf.get_variable(name, shape, dtype=tf.float32, initializer=initializer, trainable=trainable)


def _conv(x, name, filters, size, stride, seed):
    """A convolution without biases: the batch norm after it has some."""
    with tf.variable_scope(name):
        kernel = _variable(
            'kernel', [size, size, x.get_shape()[-1], filters], tf.glorot_uniform_initializer(seed=seed))
    return tf.nn.conv2d(x, kernel, [1, stride, stride, 1], padding='SAME', name=name)


def _depthwise(x, name, stride, seed):
    """A 3x3 convolution of each channel by itself."""
    with tf.variable_scope(name):
        kernel = _variable(
            'kernel', [3, 3, x.get_shape()[-1], 1], tf.glorot_uniform_initializer(seed=seed))
    # Keras pads by hand where the stride is 2. It is the padding that SAME makes.
    return tf.nn.depthwise_conv2d(x, kernel, [1, stride, stride, 1], padding='SAME', name=name)


def _batch_norm(x, name, is_training):
    """Batch normalization over all dimensions but the last. Leaves its updates in UPDATE_OPS."""
    depth = [x.get_shape()[-1]]
    with tf.variable_scope(name):
        gamma = _variable('gamma', depth, tf.ones_initializer())
        beta = _variable('beta', depth, tf.zeros_initializer())
        moving_mean = _variable('moving_mean', depth, tf.zeros_initializer(), trainable=False)
        moving_variance = _variable('moving_variance', depth, tf.ones_initializer(), trainable=False)
    if is_training:
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        for moving, value in [(moving_mean, mean), (moving_variance, variance)]:
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign(
                moving, moving * BATCH_NORM_MOMENTUM + value * (1.0 - BATCH_NORM_MOMENTUM)))
    else:
        mean, variance = moving_mean, moving_variance
    return tf.nn.batch_normalization(x, mean, variance, beta, gamma, BATCH_NORM_EPSILON)


def _block(x, number, filters, stride, expansion, is_training, seed):
    """An inverted residual: expand, convolve each channel, project; the input is added where it fits."""
    prefix = 'block_%d_' % number if number else 'expanded_conv_'
    inputs = x
    channels = int(x.get_shape()[-1])
    if number:
        x = _conv(x, prefix + 'expand', expansion * channels, 1, 1, seed + 1)
        x = tf.nn.relu6(_batch_norm(x, prefix + 'expand_BN', is_training))
    x = _depthwise(x, prefix + 'depthwise', stride, seed + 2)
    x = tf.nn.relu6(_batch_norm(x, prefix + 'depthwise_BN', is_training))
    x = _conv(x, prefix + 'project', filters, 1, 1, seed + 3)
    x = _batch_norm(x, prefix + 'project_BN', is_training)
    if channels == filters and stride == 1:
        return tf.add(inputs, x, name=prefix + 'add')
    return x


def inference(images, num_classes, alpha=1.0, is_training=True, seed=0):
    """Build the network.

    Args:
      images: float32 [batch_size, size, size, 3], size 32 or more.
      num_classes: how many kinds of images there are.
      alpha: the network's width; 1.0 is the paper's.
      is_training: batch norm takes the batch's own statistics, and updates the moving ones.
      seed: the initial weights follow from it.

    Returns:
      Logits, float32 [batch_size, num_classes].
    """
    seed *= 100
    x = _conv(images, 'Conv1', make_divisible(32 * alpha), 3, 2, seed)
    x = tf.nn.relu6(_batch_norm(x, 'bn_Conv1', is_training))
    for number, (filters, stride, expansion) in enumerate(BLOCKS):
        filters = make_divisible(int(filters * alpha))
        x = _block(x, number, filters, stride, expansion, is_training, seed + 4 * number)
    # A narrower network has as many filters here as the others.
    x = _conv(x, 'Conv_1', make_divisible(LAST_FILTERS * max(alpha, 1.0)), 1, 1, seed + 90)
    x = tf.nn.relu6(_batch_norm(x, 'Conv_1_bn', is_training))
    x = tf.reduce_mean(x, [1, 2])
    with tf.variable_scope('predictions'):
        kernel = _variable(
            'kernel', [x.get_shape()[-1], num_classes], tf.glorot_uniform_initializer(seed=seed + 91))
        bias = _variable('bias', [num_classes], tf.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(x, kernel), bias, name='predictions')


def loss(logits, labels):
    """Mean cross entropy of the batch. There is no weight decay: Keras's network has none."""
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=logits, name='cross_entropy_per_example')
    return tf.reduce_mean(cross_entropy, name='cross_entropy')
