"""The CIFAR-10 network of cifar10_model.py as a tf.Module: it keeps its variables, and hands out what it computes."""
import tensorflow as tf

LOSSES = ['local3/weight_loss', 'cross_entropy', 'total_loss']


class Network(tf.Module):
    """Each layer is a pair of weights and biases, under the names that tf.get_variable gave them."""

    def __init__(self, seed):
        super().__init__()
        self.conv1 = _layer('conv1', [5, 5, 3, 16], 5e-2, seed + 1, 0.0)
        self.conv2 = _layer('conv2', [5, 5, 16, 32], 5e-2, seed + 2, 0.1)
        self.local3 = _layer('local3', [6 * 6 * 32, 96], 0.04, seed + 3, 0.1)
        self.softmax_linear = _layer('softmax_linear', [96, 10], 1.0 / 96, seed + 4, 0.0)

    def __call__(self, images):
        """Every layer's activation by its name; the last one are the logits.

        Args:
          images: float32 [batch_size, 24, 24, 3].
        """
        conv1 = _convolution(images, *self.conv1)
        conv2 = _convolution(_pool(conv1), *self.conv2)
        weights, biases = self.local3
        local3 = tf.nn.relu(tf.matmul(tf.reshape(_pool(conv2), [-1, 6 * 6 * 32]), weights) + biases)
        weights, biases = self.softmax_linear
        logits = tf.matmul(local3, weights) + biases
        return {'conv1': conv1, 'conv2': conv2, 'local3': local3, 'softmax_linear': logits}

    def losses(self, logits, labels):
        """The losses, in the order of LOSSES."""
        weight_loss = tf.multiply(tf.nn.l2_loss(self.local3[0]), 0.004, name=LOSSES[0])
        cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        cross_entropy = tf.reduce_mean(cross_entropy, name=LOSSES[1])
        return [weight_loss, cross_entropy, tf.add_n([weight_loss, cross_entropy], name=LOSSES[2])]


def _layer(name, shape, stddev, seed, bias):
    weights = tf.Variable(
        lambda: tf.random.truncated_normal(shape, stddev=stddev, seed=seed), name=name + '/weights')
    return weights, tf.Variable(lambda: tf.fill(shape[-1:], bias), name=name + '/biases')


def _convolution(x, kernel, biases):
    return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, 'SAME'), biases))


def _pool(x):
    return tf.nn.max_pool2d(x, 3, 2, 'SAME')


def tf1_names(model):
    """The trainable variables of the Keras model (step 5) by the names they had, as 'conv1/weights'."""
    names = {'kernel': 'weights', 'bias': 'biases'}
    return {'%s/%s' % (layer.name, names[var.name]): var for layer in model.layers for var in layer.trainable_variables}
