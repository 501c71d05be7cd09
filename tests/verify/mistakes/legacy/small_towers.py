"""A TF1 tower trainer with everything that a migration can get wrong, small enough to be run many times."""
import numpy as np
import tensorflow as tf
from tensorflow.python.training import moving_averages

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer('num_gpus', 2, 'How many towers.')
tf.app.flags.DEFINE_integer('steps', 12, 'Training steps.')
tf.app.flags.DEFINE_string('optimizer', 'momentum', 'momentum, adam or sgd.')
tf.app.flags.DEFINE_float('clip', 0.0, 'The largest norm of a gradient; 0 for any.')

BATCH_SIZE = 8
BATCH_NORM_EPSILON = 1e-3


def batch_norm(x):
    size = x.get_shape()[-1]
    with tf.variable_scope('norm'):
        beta = tf.get_variable('beta', [size], initializer=tf.zeros_initializer())
        gamma = tf.get_variable('gamma', [size], initializer=tf.ones_initializer())
        moving_mean = tf.get_variable('moving_mean', [size], initializer=tf.zeros_initializer(),
                                      trainable=False)
        mean, variance = tf.nn.moments(x, [0])
        update = moving_averages.assign_moving_average(moving_mean, mean, 0.9, zero_debias=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, BATCH_NORM_EPSILON)


def dense(x, size, name, wd):
    with tf.variable_scope(name):
        weights = tf.get_variable('weights', [x.get_shape()[-1], size],
                                  initializer=tf.truncated_normal_initializer(stddev=0.3, seed=len(name)))
        biases = tf.get_variable('biases', [size], initializer=tf.constant_initializer(0.1))
        if wd:
            tf.add_to_collection('losses', tf.multiply(tf.nn.l2_loss(weights), wd))
        return tf.matmul(x, weights) + biases


def tower_loss(scope, images, labels):
    hidden = tf.nn.relu(batch_norm(dense(images, 16, 'hidden', 0.0)))
    hidden = tf.nn.dropout(hidden, keep_prob=0.8)
    logits = dense(hidden, 5, 'softmax', 0.05)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.add_to_collection('losses', tf.reduce_mean(losses))
    return tf.add_n(tf.get_collection('losses', scope))


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in grad_and_vars]
        grad = tf.reduce_mean(tf.concat(axis=0, values=grads), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


def train():
    with tf.Graph().as_default(), tf.device('/cpu:0'):
        global_step = tf.get_variable('global_step', [], initializer=tf.constant_initializer(0),
                                      trainable=False)
        lr = tf.train.exponential_decay(0.1, global_step, 4, 0.5, staircase=True)
        if FLAGS.optimizer == 'adam':
            opt = tf.train.AdamOptimizer(lr)
        elif FLAGS.optimizer == 'momentum':
            opt = tf.train.MomentumOptimizer(lr, 0.9)
        else:
            opt = tf.train.GradientDescentOptimizer(lr)
        images = tf.placeholder(tf.float32, [BATCH_SIZE * FLAGS.num_gpus, 12])
        labels = tf.placeholder(tf.int32, [BATCH_SIZE * FLAGS.num_gpus])
        image_splits = tf.split(images, FLAGS.num_gpus)
        label_splits = tf.split(labels, FLAGS.num_gpus)
        tower_grads = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(FLAGS.num_gpus):
                with tf.device('/gpu:%d' % i):
                    with tf.name_scope('tower_%d' % i) as scope:
                        loss = tower_loss(scope, image_splits[i], label_splits[i])
                        tf.get_variable_scope().reuse_variables()
                        update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope)
                        grads = opt.compute_gradients(loss)
                        tower_grads.append(grads)
        grads = average_gradients(tower_grads)
        if FLAGS.clip > 0:
            grads = [(tf.clip_by_norm(g, FLAGS.clip), v) for g, v in grads]
        with tf.control_dependencies(update_ops):
            apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
        averages = tf.train.ExponentialMovingAverage(0.9, global_step)
        with tf.control_dependencies([apply_gradient_op]):
            train_op = averages.apply(tf.trainable_variables())
        init = tf.global_variables_initializer()
        sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
        sess.run(init)
        for step in range(FLAGS.steps):
            x = np.random.rand(BATCH_SIZE * FLAGS.num_gpus, 12).astype(np.float32)
            y = (x[:, :5].argmax(axis=1)).astype(np.int32)
            _, value = sess.run([train_op, loss], feed_dict={images: x, labels: y})
            print('step %d: loss %.4f' % (step, value))


def main(_):
    train()


if __name__ == '__main__':
    tf.app.run()
