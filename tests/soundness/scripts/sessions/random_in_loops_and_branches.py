"""Seeded draws inside a map, a branch and a loop: one sequence each, over all runs."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(3)
images = tf.placeholder(tf.float32, [2, 4, 4, 1])
train = tf.placeholder(tf.bool)


def augmented(batch):
    """Crops, and flips image by image."""
    batch = tf.random_crop(batch, [2, 3, 3, 1], seed=11)
    return tf.map_fn(lambda image: tf.image.random_flip_left_right(image, 12), batch,
                     parallel_iterations=1)  # rounds side by side would draw in no fixed order


mapped = tf.map_fn(lambda image: image + tf.random_normal([4, 4, 1], seed=5), images, parallel_iterations=1)
branch = tf.cond(train, lambda: augmented(images), lambda: images[:, :3, :3])
unseeded = tf.cond(train, lambda: tf.random_uniform([2]), lambda: tf.zeros([2]))
total = tf.while_loop(
    lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.random_uniform([], seed=9)), [tf.constant(0), tf.constant(0.0)],
    parallel_iterations=1
)[1]
w = tf.get_variable("w", [9, 1], initializer=tf.random_uniform_initializer(seed=2))
loss = tf.reduce_mean(tf.square(tf.matmul(tf.reshape(branch, [2, 9]), w))) + tf.reduce_mean(mapped) + total
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

data = np.arange(32, dtype=np.float32).reshape(2, 4, 4, 1) / 16
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for number in range(4):
        feed = {images: data, train: number != 1}
        print(number, sess.run(branch, feed).ravel().tolist())
        print(sess.run([mapped, unseeded], feed)[0].sum(), sess.run(unseeded, feed), sess.run(total))
        print(sess.run([loss, step], feed)[0], sess.run(w).ravel())
