# Losses through collections, per tower by scope, weight decay added to 'losses'; EMA of the losses.
import re
import tensorflow as tf
import numpy as np

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
