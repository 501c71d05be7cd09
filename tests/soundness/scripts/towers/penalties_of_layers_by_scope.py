"""The weights' regularizers of layers: the first tower alone has their losses under its name scope."""
import numpy as np
import tensorflow as tf

GPUS = 2
x = tf.placeholder(tf.float32, [8, 3])
opt = tf.train.GradientDescentOptimizer(0.1)
xs = tf.split(x, GPUS)
decay = tf.contrib.layers.l2_regularizer(0.1)
tower_grads = []
losses = []
for i in range(GPUS):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
        with tf.variable_scope('model', reuse=i > 0):
            y = tf.layers.dense(xs[i], 1, kernel_initializer=tf.constant_initializer(0.2), kernel_regularizer=decay)
        loss = tf.reduce_mean(tf.square(y - 1.0))
        total = loss + sum(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES, scope))
        losses.append(total)
        tower_grads.append(opt.compute_gradients(total))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
train_op = opt.apply_gradients(grads)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
rng = np.random.RandomState(1)
for step in range(3):
    print(step, ['%.9g' % v for v in sess.run([losses, train_op], {x: rng.randn(8, 3)})[0]])
