# A Python while over the towers; scope object reuse_variables(); clipping by global norm after the average.
import numpy as np
import tensorflow as tf

n_gpu = 2
batch = tf.placeholder(tf.float32, [n_gpu, 3, 2], 'batch')
goal = tf.placeholder(tf.float32, [n_gpu, 3], 'goal')
optimizer = tf.train.GradientDescentOptimizer(learning_rate=0.5)
all_grads = []
all_losses = []
with tf.variable_scope('shared') as shared:
    i = 0
    while i < n_gpu:
        with tf.device('/gpu:%d' % i):
            a = tf.get_variable('a', initializer=tf.constant([0.3, -0.2]))
            c = tf.get_variable('c', initializer=0.25)
            guess = tf.sigmoid(tf.reduce_sum(batch[i] * a, axis=1) + c)
            cost = tf.reduce_sum((guess - goal[i]) ** 2)
            all_grads.append([g for g, v in optimizer.compute_gradients(cost, [a, c])])
            all_losses.append(cost)
            shared.reuse_variables()
        i += 1
averaged = [tf.add_n(list(gs)) / float(n_gpu) for gs in zip(*all_grads)]
clipped, norm = tf.clip_by_global_norm(averaged, 0.1)
apply_op = optimizer.apply_gradients(list(zip(clipped, [a, c])))
rng = np.random.RandomState(4)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as s:
    s.run(tf.global_variables_initializer())
    for _ in range(5):
        fd = {batch: rng.randn(2, 3, 2), goal: rng.rand(2, 3)}
        print(['%.9g' % v for v in s.run([norm] + all_losses, fd)])
        s.run(apply_op, fd)
        print(s.run([a, c]))
