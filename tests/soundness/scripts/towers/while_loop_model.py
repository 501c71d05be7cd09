# tf.while_loop in each tower, with gradients through it; loop length fed.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2])
rounds = tf.placeholder(tf.int32, [])
opt = tf.train.GradientDescentOptimizer(0.1)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('loop', reuse=i > 0):
            w = tf.get_variable('w', [2, 2], initializer=tf.constant_initializer([[.5, .1], [-.1, .5]]))

            def body(n, v):
                return n + 1, tf.tanh(tf.matmul(v, w))

            _, out = tf.while_loop(lambda n, v: n < rounds, body, [tf.constant(0), x[2 * i:2 * i + 2]])
            loss = tf.reduce_mean(tf.square(out - 0.3))
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients([(tf.add_n([g for g, _ in p]) / 2, p[0][1]) for p in zip(*grads)])
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(4):
        feed = {x: rng.randn(4, 2), rounds: n + 1}
        print(n, ['%.7g' % v for v in sess.run(losses + [train], feed)[:2]])
    print([['%.7g' % v for v in row] for row in sess.run(w)])
