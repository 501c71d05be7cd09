"""Two towers of one layer."""
import numpy as np
import tensorflow as tf

images = tf.placeholder(tf.float32, [8, 3])
targets = tf.placeholder(tf.float32, [8, 1])
image_parts, target_parts = tf.split(images, 2), tf.split(targets, 2)
opt = tf.train.GradientDescentOptimizer(0.1)
tower_grads = []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope(tf.get_variable_scope(), reuse=i > 0):
        weights = tf.get_variable('weights', [3, 1], initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(image_parts[i], weights) - target_parts[i]))
        tower_grads.append(opt.compute_gradients(loss))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
train_op = opt.apply_gradients(grads)

with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    random = np.random.RandomState(0)
    for _ in range(12):
        sess.run(train_op, {images: random.rand(8, 3), targets: random.rand(8, 1)})
