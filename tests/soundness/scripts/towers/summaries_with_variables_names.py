# Summaries under the variables' own names, which TF1 numbers on, and of the gradients.
import numpy as np
import tensorflow as tf

N = 2


def average_gradients(tower_grads):
    result = []
    for pairs in zip(*tower_grads):
        grads = [tf.expand_dims(g, 0) for g, _ in pairs]
        result.append((tf.reduce_mean(tf.concat(grads, 0), 0), pairs[0][1]))
    return result


with tf.Graph().as_default(), tf.device('/cpu:0'):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    early = tf.get_variable('early', [], initializer=tf.ones_initializer())
    opt = tf.train.GradientDescentOptimizer(0.1)
    xs, ys = tf.split(x, N), tf.split(y, N)
    tower_grads, losses = [], []
    for i in range(N):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
            with tf.variable_scope('model', reuse=i > 0):
                w = tf.get_variable('w', [3, 1], initializer=tf.ones_initializer())
                b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
                loss = tf.reduce_mean(tf.square((tf.matmul(xs[i], w) + b) * early - ys[i]))
            losses.append(loss)
            tower_grads.append(opt.compute_gradients(loss))
    grads = average_gradients(tower_grads)
    train_op = opt.apply_gradients(grads)
    total = tf.add_n(losses, name='total') / N
    tf.summary.scalar('total', total)
    for grad, var in grads:
        tf.summary.histogram(var.op.name, grad)
        tf.summary.histogram(var.op.name + '/gradients', grad)
    merged = tf.summary.merge_all()
    draws = np.random.RandomState(4)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(3):
            batch = draws.randn(6, 3)
            _, value, text = sess.run([train_op, total, merged], feed_dict={x: batch, y: batch[:, :1]})
            print('%.9g' % value, len(text), [name in text for name in (b'total_1', b'early_1', b'model/w_1', b'model/b_1')],
                  [name in text for name in (b'model/w/gradients', b'model/w_1/')])
