"""Two towers with all that a session call can tell: dropout, averages, summaries, a rate set by hand."""
import sys

import numpy as np
import tensorflow as tf

TOWERS = 2
DECAY = 0.01
BETWEEN = 'train'


def dense(x, size, name):
    with tf.variable_scope(name):
        weights = tf.get_variable('weights', [x.get_shape()[-1], size],
                                  initializer=tf.truncated_normal_initializer(stddev=0.5))
        biases = tf.get_variable('biases', [size], initializer=tf.zeros_initializer())
        tf.add_to_collection('losses', DECAY * tf.nn.l2_loss(weights))
        return tf.matmul(x, weights) + biases


def tower_loss(scope, images, labels):
    hidden = tf.nn.dropout(tf.nn.relu(dense(images, 8, 'hidden')), keep_prob=0.75)
    logits = dense(hidden, 3, 'softmax')
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.add_n([tf.reduce_mean(losses)] + tf.get_collection('losses', scope))


def average_gradients(tower_grads):
    averaged = []
    for pairs in zip(*tower_grads):
        grads = tf.stack([g for g, _ in pairs])
        averaged.append((tf.reduce_mean(grads, 0), pairs[0][1]))
    return averaged


images = tf.placeholder(tf.float32, [8, 6])
labels = tf.placeholder(tf.int32, [8])
step = tf.train.get_or_create_global_step()
rate = tf.get_variable('rate', [], initializer=tf.constant_initializer(0.1), trainable=False)
halve = tf.assign(rate, rate * 0.5)
opt = tf.train.AdamOptimizer(rate, epsilon=1e-4)
image_parts, label_parts = tf.split(images, TOWERS), tf.split(labels, TOWERS)
tower_grads = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(TOWERS):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
            loss = tower_loss(scope, image_parts[i], label_parts[i])
            tf.get_variable_scope().reuse_variables()
            tower_grads.append(opt.compute_gradients(loss))
grads = average_gradients(tower_grads)
grads = [(tf.clip_by_norm(g, 0.5), v) for g, v in grads]
apply_op = opt.apply_gradients(grads, step)
with tf.control_dependencies([apply_op]):
    train = tf.train.ExponentialMovingAverage(0.9).apply(tf.trainable_variables())
tf.summary.scalar('loss', loss)
tf.summary.histogram('first gradient', grads[0][0])
merged = tf.summary.merge_all()

random = np.random.RandomState(5)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for number in range(4):
        x = random.rand(8, 6)
        batch = {images: x, labels: x[:, :3].argmax(1)}
        print(number, sess.run([train, loss, merged], batch)[1])
        if number == 1:
            sess.run(halve)
    print(sess.run({'step': step, 'rate': rate}), sys.argv[1:])
