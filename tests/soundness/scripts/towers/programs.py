import glob
import os
import sys

import numpy as np
import tensorflow as tf

#: ema_of_variables_restored: moving averages of the weights after each step; evaluation in a second graph from the shadow variables
folder = sys.argv[1]


def net(x):
    w = tf.get_variable('w', [3, 1], initializer=tf.random_normal_initializer(seed=2))
    b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b


def train():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4, 3])
        y = tf.placeholder(tf.float32, [4, 1])
        step = tf.train.get_or_create_global_step()
        opt = tf.train.MomentumOptimizer(0.1, 0.9)
        grads = []
        for i in range(2):
            with tf.device('/gpu:%d' % i), tf.variable_scope(tf.get_variable_scope(), reuse=i > 0):
                loss = tf.reduce_mean((net(x[i * 2:i * 2 + 2]) - y[i * 2:i * 2 + 2]) ** 2)
                grads.append(opt.compute_gradients(loss))
        mean = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)]
        apply_op = opt.apply_gradients(mean, step)
        averages = tf.train.ExponentialMovingAverage(0.99, step)
        with tf.control_dependencies([apply_op]):
            train_op = averages.apply(tf.trainable_variables())
        saver = tf.train.Saver()
        rng = np.random.RandomState(1)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(6):
                fed = {x: rng.randn(4, 3), y: rng.randn(4, 1)}
                print('%.9g' % sess.run([train_op, loss], fed)[1])
            for v in tf.trainable_variables():
                print(v.op.name, sess.run(v).ravel().tolist(), sess.run(averages.average(v)).ravel().tolist(),
                      averages.average_name(v))
            print(os.path.basename(saver.save(sess, os.path.join(folder, 'model'), global_step=step)))


def evaluate():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        out = net(x)
        averages = tf.train.ExponentialMovingAverage(0.99)
        names = averages.variables_to_restore()
        print(sorted(names))
        saver = tf.train.Saver(names)
        with tf.Session() as sess:
            state = tf.train.get_checkpoint_state(folder)
            saver.restore(sess, state.model_checkpoint_path)
            print(sess.run(out, {x: np.arange(6).reshape(2, 3)}).ravel().tolist())


train()
evaluate()

#: six_xrange_flags_app: flags, tf.app.run, xrange from six, FLAGS read inside functions
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
        lr = tf.train.exponential_decay(0.3, global_step, 2, 0.5, staircase=True)
        opt = tf.train.MomentumOptimizer(lr, FLAGS.decay, use_nesterov=FLAGS.nesterov)
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

#: slim_learning_train: slim.learning.create_train_op and train: batch norm's updates of one tower, multiplied and clipped gradients, a step of one's own, a second training that resumes from the first one's checkpoint
from tensorflow.contrib import slim

rng = np.random.RandomState(3)
points = rng.rand(8, 3).astype(np.float32)
values = points.sum(1, keepdims=True).astype(np.float32)
logdir = os.path.join(sys.argv[1], 'slim')


def net(x):
    with slim.arg_scope([slim.fully_connected], weights_regularizer=slim.l2_regularizer(0.01),
                        weights_initializer=tf.constant_initializer(0.3)):
        hidden = slim.fully_connected(x, 4, scope='hidden', normalizer_fn=slim.batch_norm,
                                      normalizer_params={'decay': 0.8, 'updates_collections': tf.GraphKeys.UPDATE_OPS})
        return slim.fully_connected(hidden, 1, activation_fn=None, scope='out')


def train(steps, **options):
    printed = []

    def step(sess, train_op, global_step, arguments):
        loss, stop = slim.learning.train_step(sess, train_op, global_step, arguments)
        printed.append('%d %.9g %s' % (sess.run(global_step), loss, bool(stop)))
        return loss, stop

    with tf.Graph().as_default():
        tf.train.create_global_step()
        xs, ys = tf.constant(points), tf.constant(values)
        losses = []
        with tf.variable_scope(tf.get_variable_scope()):
            for k in range(2):
                with tf.device('/gpu:%d' % k), tf.name_scope('clone_%d' % k):
                    part = slice(4 * k, 4 * k + 4)
                    losses.append(tf.reduce_mean(tf.square(net(xs[part]) - ys[part])))
                    tf.get_variable_scope().reuse_variables()
        total = tf.add_n(losses) / 2 + tf.add_n(tf.losses.get_regularization_losses())
        tf.summary.scalar('total', total)
        train_op = slim.learning.create_train_op(
            total, tf.train.MomentumOptimizer(0.05, 0.9), clip_gradient_norm=2.0,
            update_ops=tf.get_collection(tf.GraphKeys.UPDATE_OPS, 'clone_0'),
            gradient_multipliers={'out/biases': 0.5})
        print(train_op.op.type, len(tf.get_collection(tf.GraphKeys.TRAIN_OP)))
        last = slim.learning.train(train_op, logdir, train_step_fn=step, number_of_steps=steps, log_every_n_steps=2,
                                   save_summaries_secs=0, save_interval_secs=0, **options)
        print('\n'.join(printed))
        print('last %.9g' % last)


train(4)
train(6, init_fn=lambda sess: print('not when it resumes'))
reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(logdir))
for name in sorted(reader.get_variable_to_shape_map()):
    print(name, ' '.join('%.9g' % number for number in reader.get_tensor(name).ravel()))
try:
    with tf.Graph().as_default():
        slim.learning.train(tf.constant(1.0), None, summary_op=tf.constant(''))
except ValueError as error:
    print(error)

#: weight_decay_collection_scope: losses through collections, per tower by scope, weight decay added to 'losses'; EMA of the losses
import re

TOWER = 'tower'
FEATURES = 4


def variable_on_cpu(name, shape, initializer):
    with tf.device('/cpu:0'):
        return tf.get_variable(name, shape, initializer=initializer, dtype=tf.float32)


def variable_with_weight_decay(name, shape, stddev, wd):
    var = variable_on_cpu(name, shape, tf.truncated_normal_initializer(stddev=stddev, seed=9))
    if wd is not None:
        tf.add_to_collection('losses', tf.multiply(tf.nn.l2_loss(var), wd, name='weight_loss'))
    return var


def tower_loss(scope, x, y):
    with tf.variable_scope('local') as vs:
        w = variable_with_weight_decay('weights', [FEATURES, 3], 0.3, 0.05)
        b = variable_on_cpu('biases', [3], tf.constant_initializer(0.1))
        logits = tf.add(tf.matmul(x, w), b, name=vs.name)
    xent = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    tf.add_to_collection('losses', tf.reduce_mean(xent, name='cross_entropy'))
    losses = tf.get_collection('losses', scope)
    total = tf.add_n(losses, name='total_loss')
    averages = tf.train.ExponentialMovingAverage(0.9, name='avg')
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        apply_op = averages.apply(losses + [total])
    names = [re.sub('%s_[0-9]*/' % TOWER, '', l.op.name) for l in losses + [total]]
    with tf.control_dependencies([apply_op]):
        total = tf.identity(total)
    return total, names, [averages.average(l) for l in losses + [total.op.inputs[0]]]


with tf.Graph().as_default(), tf.device('/cpu:0'):
    images = tf.placeholder(tf.float32, [6, FEATURES])
    labels = tf.placeholder(tf.int32, [6])
    opt = tf.train.GradientDescentOptimizer(0.3)
    grads, shown, names = [], [], []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                with tf.name_scope('%s_%d' % (TOWER, i)) as scope:
                    loss, some, shadow = tower_loss(scope, images[i * 3:i * 3 + 3], labels[i * 3:i * 3 + 3])
                    names.append(some)
                    shown.append(shadow)
                    tf.get_variable_scope().reuse_variables()
                    grads.append(opt.compute_gradients(loss))
    mean = []
    for gv in zip(*grads):
        g = tf.concat([tf.expand_dims(gradient, 0) for gradient, _ in gv], 0)
        mean.append((tf.reduce_mean(g, 0), gv[0][1]))
    train = opt.apply_gradients(mean)
    print(names)
    print([l.op.name for l in tf.get_collection('losses')])
    print([v.op.name for v in tf.global_variables()])
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
    sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(0)
    for step in range(4):
        feed = {images: rng.randn(6, FEATURES), labels: rng.randint(0, 3, 6)}
        value = sess.run(loss, feed)
        sess.run(train, feed)
        print('%.9g' % value, [['%.9g' % v for v in row] for row in sess.run(shown)])
    print(sess.run(tf.trainable_variables()[0]).tolist())

#: writes_of_every_kind: A weight that both towers read is written in every way there is: both always see it
w = tf.get_variable('w', [3, 2], initializer=tf.constant_initializer(np.arange(6).reshape(3, 2)))
b = tf.Variable(0.5, name='b')
reads = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        reads.append(tf.reduce_sum(w * [[1., 2.], [3., 4.], [5., 6.]]) + b)
value = tf.placeholder(tf.float32, [3, 2])
with tf.device('/gpu:1'):
    on_second = w.assign_sub(tf.ones([3, 2]) * b)
ops = [
    ('assign', w.assign(value)), ('add', tf.assign_add(w, value)), ('second', on_second),
    ('scatter_add', tf.scatter_add(w, [0, 2], [[1., 1.], [2., 2.]])),
    ('scatter_update', tf.scatter_update(w, [1], [[7., 7.]])),
    ('scatter_nd', tf.scatter_nd_update(w, [[2, 1]], [11.])),
    ('slice', w[0, 1].assign(3.5)), ('b', b.assign_add(0.25)), ('init', w.initializer),
]
saver = tf.train.Saver()
feed = {value: np.ones([3, 2]) * 0.5}
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    path = saver.save(sess, os.path.join(sys.argv[1], 'm'))
    for name, op in ops:
        sess.run(op, feed)
        print(name, sess.run(reads), sess.run(w).ravel().tolist())
    w.load(np.full([3, 2], 2.0), sess)
    print('load', sess.run(reads))
    saver.restore(sess, path)
    print('restored', sess.run(reads), sess.run(b))
    sess.run(tf.variables_initializer([b]))
    print(sess.run(reads))
