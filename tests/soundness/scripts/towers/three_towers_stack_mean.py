# Three towers; printed to five digits, since three numbers can be added in more than one order.
import numpy as np
import tensorflow as tf

n = 3
x = tf.placeholder(tf.float32, [n * 2, 2])
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads, losses = [], []
for i in range(n):
    with tf.device('/gpu:%d' % i), tf.variable_scope('s', reuse=i > 0):
        w = tf.get_variable('w', [2, 2], initializer=tf.constant_initializer([[1, 0.2], [0.3, 1]]))
        loss = tf.reduce_sum(tf.square(tf.matmul(x[i * 2:(i + 1) * 2], w) - 1.0))
        losses.append(loss)
        tower_grads.append(opt.compute_gradients(loss))
avg = [(tf.reduce_mean(tf.stack([g for g, _ in gv], axis=0), axis=0), gv[0][1]) for gv in zip(*tower_grads)]
train = opt.apply_gradients(avg)
rng = np.random.RandomState(1)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(5):
        print(step, ['%.5g' % v for v in sess.run(losses + [train], {x: rng.randn(6, 2)})[:n]])
    print([['%.5g' % v for v in row] for row in sess.run(w)])
