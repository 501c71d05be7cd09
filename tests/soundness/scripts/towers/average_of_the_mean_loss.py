"""A moving average of the towers' mean loss, and of a tower's loss without a name scope: each is updated once a step."""
import numpy as np
import tensorflow as tf

GPUS = 2
x = tf.placeholder(tf.float32, [8, 3])
opt = tf.train.GradientDescentOptimizer(0.1)
xs = tf.split(x, GPUS)
ema = tf.train.ExponentialMovingAverage(0.9)
tower_grads = []
losses = []
for i in range(GPUS):
    with tf.device('/gpu:%d' % i), tf.variable_scope('model', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [3, 1], initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(xs[i], w) - 1.0))
        with tf.control_dependencies([ema.apply([loss])]):
            total = loss + 0.1 * ema.average(loss)
        losses.append(total)
        tower_grads.append(opt.compute_gradients(total))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
mean_loss = tf.add_n(losses) / GPUS
follow = ema.apply([mean_loss])
smooth = ema.average(mean_loss)
train_op = tf.group(opt.apply_gradients(grads), follow)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
rng = np.random.RandomState(1)
for step in range(3):
    _, value = sess.run([train_op, mean_loss], {x: rng.randn(8, 3)})
    print(step, '%.9g' % value, '%.9g' % sess.run(smooth))
