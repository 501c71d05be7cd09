# The script has names of its own for everything that a migrated script might bring along.
import numpy as np
import tensorflow as tf

strategy, tower, TowerStrategy = 'data parallel', 'one of two', 'of its own'
towers = 2
tower_devices = ['/gpu:0', '/gpu:1']


def graph_mode():
    return 'mine'


def all_reduce_mean(values):
    return sum(values) / len(values)


def average_gradients(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grad = tf.reduce_mean(tf.concat([tf.expand_dims(g, 0) for g, _ in grad_and_vars], 0), 0)
        average_grads.append((grad, grad_and_vars[0][1]))
    return average_grads


x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads, losses = [], []
for i in range(towers):
    with tf.device(tower_devices[i]), tf.variable_scope('n', reuse=i > 0):
        w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
        losses.append(tf.reduce_mean(tf.square(x[i * 2:i * 2 + 2] * w - 0.5)))
        tower_grads.append(opt.compute_gradients(losses[i]))
train = opt.apply_gradients(average_gradients(tower_grads))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        values, _ = sess.run([losses, train], {x: rng.randn(4, 2)})
        print('%.9g' % all_reduce_mean(values), ['%.9g' % v for v in values])
    print(strategy, tower, TowerStrategy, towers, tower_devices, graph_mode(), sess.run(w).tolist())
