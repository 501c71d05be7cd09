# One function builds and trains; called for one tower and for two, in graphs of their own: the same mean.
import numpy as np
import tensorflow as tf


def train(num_gpus, steps=4):
    with tf.Graph().as_default(), tf.device('/cpu:0'):
        tf.set_random_seed(2)
        x = tf.placeholder(tf.float32, [4, 2])
        opt = tf.train.GradientDescentOptimizer(0.2)
        grads, losses = [], []
        for i, part in enumerate(tf.split(x, num_gpus)):
            with tf.device('/gpu:%d' % i), tf.variable_scope('m', reuse=tf.AUTO_REUSE):
                w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1.0, 0.5]))
                losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(part * w, 1) - 1)))
                grads.append(opt.compute_gradients(losses[i]))
        mean = [(tf.add_n([g for g, _ in p]) / num_gpus, p[0][1]) for p in zip(*grads)]
        op = opt.apply_gradients(mean)
        loss = tf.add_n(losses) / num_gpus
        rng = np.random.RandomState(0)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(steps):
                value, _ = sess.run([loss, op], {x: rng.randn(4, 2)})
                print(num_gpus, '%.9g' % value)
            return sess.run(w)


first, second = train(1), train(2)
print(first.tolist(), second.tolist(), bool(np.allclose(first, second)))
for n in (2, 1):
    print(train(n, steps=2).tolist())
