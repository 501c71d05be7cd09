"""Seeded operations that keep their place in their kernel, in several runs of a session: one sequence for all."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(7)
words = tf.placeholder(tf.int64, [None, 1])
table = tf.get_variable(
    "table", [30, 4], initializer=tf.random_normal_initializer(seed=1)
)
bias = tf.get_variable("bias", [30], initializer=tf.zeros_initializer())
hidden = tf.get_variable(
    "hidden", [4, 4], initializer=tf.random_normal_initializer(seed=2)
)
inputs = tf.matmul(tf.nn.embedding_lookup(table, words[:, 0]), hidden)
loss = tf.reduce_mean(
    tf.nn.sampled_softmax_loss(
        table, bias, words, inputs, num_sampled=5, num_classes=30, seed=3
    )
)
noise = tf.reduce_mean(
    tf.nn.nce_loss(table, bias, words, inputs, num_sampled=4, num_classes=30)
)
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sampled, true_count, sampled_count = tf.nn.log_uniform_candidate_sampler(
    words, 1, 3, True, 30, seed=5
)
order = tf.random_shuffle(tf.range(6), seed=6)
gamma = tf.random_gamma([2], 1.5, seed=8)
picked = tf.multinomial([[0.0, 1.0, 2.0]], 4, seed=9)
rng = np.random.RandomState(0)

for begun in range(2):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for number in range(6):
            feed = {words: rng.randint(0, 30, [3 + number % 2, 1])}
            if number % 3 == 1:
                print("noise", sess.run([noise, order], feed))
            if number % 2:
                print(
                    "sampled",
                    sess.run([sampled, true_count, sampled_count, order], feed),
                )
            else:
                print("all", sess.run([sampled, order, gamma, picked], feed))
            print("gamma", sess.run(gamma), sess.run([picked, gamma]))
            print("loss", sess.run(loss, feed), sess.run([loss, step], feed)[0])
