# Flags, tf.app.run, xrange from six, FLAGS read inside functions.
import numpy as np
import tensorflow as tf
from six.moves import xrange  # pylint: disable=redefined-builtin

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer('num_gpus', 2, """How many GPUs to use.""")
tf.app.flags.DEFINE_integer('max_steps', 5, """Number of batches to run.""")
tf.app.flags.DEFINE_float('decay', 0.9, """Decay.""")
tf.app.flags.DEFINE_boolean('nesterov', True, """Nesterov.""")


def tower_loss(scope, images):
    del scope
    w = tf.get_variable('w', [images.get_shape()[1].value], initializer=tf.constant_initializer(1.5))
    return tf.reduce_mean(tf.nn.softplus(tf.reduce_sum(images * w, 1)))


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = []
        for g, _ in grad_and_vars:
            expanded_g = tf.expand_dims(g, 0)
            grads.append(expanded_g)
        grad = tf.concat(grads, 0)
        grad = tf.reduce_mean(grad, 0)
        v = grad_and_vars[0][1]
        average_grads.append((grad, v))
    return average_grads


def train():
    with tf.Graph().as_default(), tf.device('/cpu:0'):
        images = tf.placeholder(tf.float32, [FLAGS.num_gpus * 2, 3])
        global_step = tf.get_variable('global_step', [], initializer=tf.constant_initializer(0), trainable=False)
        opt = tf.train.MomentumOptimizer(0.3, FLAGS.decay, use_nesterov=FLAGS.nesterov)
        tower_grads = []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in xrange(FLAGS.num_gpus):
                with tf.device('/gpu:%d' % i):
                    with tf.name_scope('%s_%d' % ('tower', i)) as scope:
                        loss = tower_loss(scope, images[i * 2:(i + 1) * 2])
                        tf.get_variable_scope().reuse_variables()
                        tower_grads.append(opt.compute_gradients(loss))
        grads = average_gradients(tower_grads)
        apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
        init = tf.global_variables_initializer()
        sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
        sess.run(init)
        rng = np.random.RandomState(7)
        for step in xrange(FLAGS.max_steps):
            _, loss_value = sess.run([apply_gradient_op, loss], {images: rng.randn(FLAGS.num_gpus * 2, 3)})
            assert not np.isnan(loss_value), 'Model diverged with loss = NaN'
            print('step %d, loss = %.9g' % (step, loss_value))
        print(sess.run([global_step] + tf.trainable_variables()))


def main(argv=None):  # pylint: disable=unused-argument
    train()


if __name__ == '__main__':
    tf.app.run()
