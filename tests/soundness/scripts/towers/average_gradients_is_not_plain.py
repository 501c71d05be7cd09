# It is called average_gradients and looks like the tutorial's, but it doubles the biases and sums the rest.
import numpy as np
import tensorflow as tf


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = []
        for g, _ in grad_and_vars:
            expanded_g = tf.expand_dims(g, 0)
            grads.append(expanded_g)
        grad = tf.concat(axis=0, values=grads)
        v = grad_and_vars[0][1]
        if 'biases' in v.op.name:
            grad = 2.0 * tf.reduce_mean(grad, 0)
        else:
            grad = tf.reduce_sum(grad, 0)
        average_grads.append((grad, v))
    return average_grads


x, y = tf.placeholder(tf.float32, [4, 2]), tf.placeholder(tf.float32, [4])
opt = tf.train.MomentumOptimizer(0.05, 0.9)
tower_grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('d', reuse=i > 0):
        w = tf.get_variable('weights', [2], initializer=tf.constant_initializer(0.2))
        b = tf.get_variable('biases', [], initializer=tf.zeros_initializer())
        out = tf.reduce_sum(x[i * 2:i * 2 + 2] * w, 1) + b
        losses.append(tf.reduce_mean((out - y[i * 2:i * 2 + 2]) ** 2))
        tower_grads.append(opt.compute_gradients(losses[i]))
grads = average_gradients(tower_grads)
train = opt.apply_gradients(grads)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        feed = {x: rng.randn(4, 2), y: rng.randn(4)}
        print(sess.run(losses, feed), [g.tolist() for g in sess.run([g for g, _ in grads], feed)])
        sess.run(train, feed)
    print([sess.run(v).tolist() for v in tf.global_variables()])
