# `variable += value` and its like: TF1 computes a tensor, and binds the name to it. The variable stays as it is.

import numpy as np
import tensorflow as tf


def transform(x, scope):
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [3, 4], initializer=tf.constant_initializer(0.1))
        b = tf.get_variable('b', [4], initializer=tf.zeros_initializer())
        b += tf.constant(np.eye(2).flatten(), dtype=tf.float32)
        w *= 2.0
        w -= 0.05
        w /= 3.0
        s = tf.get_variable('s', [], initializer=tf.constant_initializer(1.5))
        s **= 2.0
        return tf.matmul(x, w) * s + b


def main():
    x = tf.placeholder(tf.float32, [None, 3])
    count = tf.Variable(0.0, trainable=False)
    step = count.assign_add(1.0)
    step += 10.0
    opt = tf.train.MomentumOptimizer(0.1, 0.5)
    grads, losses = [], []
    for i, part in enumerate(tf.split(x, 2)):
        with tf.device('/gpu:%d' % i):
            y = transform(part, 'net')
            losses.append(tf.reduce_mean(tf.square(y - 1.0)))
            grads.append(opt.compute_gradients(losses[-1]))
    mean = [(tf.reduce_mean(tf.stack([g for g, _ in each]), 0), each[0][1]) for each in zip(*grads)]
    train = opt.apply_gradients(mean)
    rng = np.random.RandomState(3)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(4):
            a, b = sess.run(losses, {x: rng.randn(4, 3)})
            sess.run(train, {x: rng.randn(4, 3)})
            print('%.9g %.9g %.9g' % (a, b, sess.run(step)))
        for v in tf.trainable_variables():
            print(v.op.name, sess.run(v).tolist())


if __name__ == '__main__':
    main()
