"""../legacy/small_towers.py in hand-shaped TF 2, right to the last bit. `migrate` writes the exact form of it."""
import numpy as np
import tensorflow as tf
from tf2towers.runtime import (
    apply_gradients, assign_moving_average, average_gradients, ExponentialMovingAverage,
    keep_statistics, last_tower, tower_devices, tower_gradients, tower_index, VariableStore,
)

FLAGS = tf.compat.v1.app.flags.FLAGS
tf.compat.v1.app.flags.DEFINE_integer('num_gpus', 2, 'How many towers.')
tf.compat.v1.app.flags.DEFINE_integer('steps', 12, 'Training steps.')
tf.compat.v1.app.flags.DEFINE_string('optimizer', 'momentum', 'momentum, adam or sgd.')
tf.compat.v1.app.flags.DEFINE_float('clip', 0.0, 'The largest norm of a gradient; 0 for any.')

BATCH_SIZE = 8
BATCH_NORM_EPSILON = 1e-3


def batch_norm(x):
    size = x.get_shape()[-1]
    with tf.compat.v1.variable_scope('norm'):
        beta = tf.compat.v1.get_variable('beta', [size], initializer=tf.compat.v1.zeros_initializer())
        gamma = tf.compat.v1.get_variable('gamma', [size], initializer=tf.compat.v1.ones_initializer())
        moving_mean = tf.compat.v1.get_variable('moving_mean', [size], initializer=tf.compat.v1.zeros_initializer(),
                                      trainable=False)
        mean, variance = tf.nn.moments(x, [0])
        update = assign_moving_average(moving_mean, mean, 0.9, zero_debias=False)
        tf.compat.v1.add_to_collection(tf.compat.v1.GraphKeys.UPDATE_OPS, update)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, BATCH_NORM_EPSILON)


def dense(x, size, name, wd):
    with tf.compat.v1.variable_scope(name):
        weights = tf.compat.v1.get_variable('weights', [x.get_shape()[-1], size],
                                  initializer=tf.compat.v1.truncated_normal_initializer(stddev=0.3, seed=len(name)))
        biases = tf.compat.v1.get_variable('biases', [size], initializer=tf.compat.v1.constant_initializer(0.1))
        if wd:
            tf.compat.v1.add_to_collection('losses', tf.multiply(tf.nn.l2_loss(weights), wd))
        return tf.matmul(x, weights) + biases


def tower_loss(scope, images, labels):
    hidden = tf.nn.relu(batch_norm(dense(images, 16, 'hidden', 0.0)))
    hidden = tf.compat.v1.nn.dropout(hidden, keep_prob=0.8)
    logits = dense(hidden, 5, 'softmax', 0.05)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.compat.v1.add_to_collection('losses', tf.reduce_mean(losses))
    return tf.add_n(tf.compat.v1.get_collection('losses', scope))


def train():
    strategy = tf.distribute.MirroredStrategy(tower_devices(['/gpu:%d' % i for i in range(FLAGS.num_gpus)]))
    variables = VariableStore(strategy)
    with strategy.scope(), variables.scope():
        global_step = tf.compat.v1.get_variable('global_step', [], initializer=tf.compat.v1.constant_initializer(0),
                                      trainable=False)
        lr = tf.compat.v1.train.exponential_decay(0.1, global_step, 4, 0.5, staircase=True)
        if FLAGS.optimizer == 'adam':
            opt = tf.compat.v1.train.AdamOptimizer(lr)
        elif FLAGS.optimizer == 'momentum':
            opt = tf.compat.v1.train.MomentumOptimizer(lr, 0.9)
        else:
            opt = tf.compat.v1.train.GradientDescentOptimizer(lr)

        @variables.scope()
        def tower(images, labels):
            """What the loop built on each '/gpu:%d' % i: returns loss, update_ops, grads."""
            image_splits = tf.split(images, FLAGS.num_gpus)
            label_splits = tf.split(labels, FLAGS.num_gpus)
            i = tower_index()
            with tf.compat.v1.name_scope('tower_%d' % i) as scope:
                loss = tower_loss(scope, image_splits[i], label_splits[i])
                update_ops = tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.UPDATE_OPS, scope)
                grads = tower_gradients(loss)
            return loss, update_ops, grads

        averages = ExponentialMovingAverage(0.9, global_step)

        @tf.function(autograph=False, input_signature=[
            tf.TensorSpec([BATCH_SIZE * FLAGS.num_gpus, 12], tf.float32),
            tf.TensorSpec([BATCH_SIZE * FLAGS.num_gpus], tf.int32)])
        def train_step(images, labels):

            @variables.scope()
            def replica_step(images, labels):
                loss, update_ops, grads = tower(images, labels)
                grads = average_gradients(grads)
                if FLAGS.clip > 0:
                    grads = [(tf.clip_by_norm(g, FLAGS.clip), v) for g, v in grads]
                keep_statistics('last')
                with tf.control_dependencies(update_ops):
                    apply_gradient_op = apply_gradients(opt, grads, global_step=global_step)
                with tf.control_dependencies([apply_gradient_op]):
                    train_op = averages.apply(tf.compat.v1.trainable_variables())
                return loss

            return last_tower(strategy.run(replica_step, args=(images, labels)))

        for step in range(FLAGS.steps):
            x = np.random.rand(BATCH_SIZE * FLAGS.num_gpus, 12).astype(np.float32)
            y = (x[:, :5].argmax(axis=1)).astype(np.int32)
            value = train_step(x, y).numpy()
            print('step %d: loss %.4f' % (step, value))


def main(_):
    train()


if __name__ == '__main__':
    tf.compat.v1.app.run()
