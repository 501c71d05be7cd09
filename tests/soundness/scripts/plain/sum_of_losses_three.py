# Three towers, means written as sums over n, regularisation from a regularizer's collection of its own.
import numpy as np
import tensorflow as tf

N = 3
x = tf.placeholder(tf.float32, [None, 2])
opt = tf.train.AdadeltaOptimizer(1.0)
xs = tf.split(x, N, 0)
tower_grads = []
tower_losses = []
for i in range(N):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('layer', reuse=i != 0):
            w = tf.get_variable('w', [2, 3], initializer=tf.random_normal_initializer(stddev=0.5, seed=9))
            b = tf.get_variable('b', initializer=tf.constant([0.1, 0.2, 0.3]))
        out = tf.nn.softmax(tf.matmul(xs[i], w) + b)
        loss = -tf.reduce_sum(tf.log(out + 1e-6)) + 0.01 * tf.nn.l2_loss(w)
        tower_losses.append(loss)
        tower_grads.append(opt.compute_gradients(loss))
averaged = []
for pairs in zip(*tower_grads):
    total = tf.add_n([g for g, _ in pairs])
    averaged.append((total / N, pairs[0][1]))
train_op = opt.apply_gradients(averaged)
total_loss = tf.add_n(tower_losses)
rng = np.random.RandomState(10)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
sess.run(tf.global_variables_initializer())
for step in range(5):
    _, value = sess.run([train_op, total_loss], feed_dict={x: rng.randn(6, 2)})
    print('%.7g' % value)
