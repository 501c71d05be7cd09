# A small convolution net with pooling and local response normalisation; the batch in NHWC; EMA of the weights.
import numpy as np
import tensorflow as tf


def inference(images):
    with tf.variable_scope('conv1') as scope:
        kernel = tf.get_variable('weights', [3, 3, 1, 4], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1))
        biases = tf.get_variable('biases', [4], initializer=tf.constant_initializer(0.1))
        conv = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding='SAME'), biases), scope.name)
    pool = tf.nn.max_pool(conv, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME', name='pool1')
    norm = tf.nn.lrn(pool, 2, bias=1.0, alpha=0.001, beta=0.75, name='norm1')
    flat = tf.reshape(norm, [images.get_shape().as_list()[0], -1])
    with tf.variable_scope('softmax_linear'):
        w = tf.get_variable('weights', [flat.get_shape()[1].value, 3], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=2))
        return tf.matmul(flat, w)


images = tf.placeholder(tf.float32, [4, 6, 6, 1])
labels = tf.placeholder(tf.int32, [4])
opt = tf.train.GradientDescentOptimizer(0.1)
grads, losses = [], []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
            logits = inference(images[i * 2:i * 2 + 2])
            losses.append(tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                logits=logits, labels=labels[i * 2:i * 2 + 2])))
            tf.get_variable_scope().reuse_variables()
            grads.append(opt.compute_gradients(losses[i]))
apply_op = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
ema = tf.train.ExponentialMovingAverage(0.9)
with tf.control_dependencies([apply_op]):
    train = tf.group(ema.apply(tf.trainable_variables()))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        print(['%.8g' % v for v in sess.run(losses + [train], {images: rng.rand(4, 6, 6, 1), labels: rng.randint(0, 3, 4)})[:2]])
    for v in tf.trainable_variables():
        print(v.op.name, '%.7g %.7g' % (sess.run(v).sum(), sess.run(ema.average(v)).sum()))
