# tf.Assert and check_numerics as control dependencies of the step; an assertion that fails is caught.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4])
opt = tf.train.GradientDescentOptimizer(0.1)
w = tf.get_variable('w', initializer=2.0)
grads, losses = [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        part = x[i * 2:i * 2 + 2]
        with tf.control_dependencies([tf.Assert(tf.reduce_all(part > 0), [part], name='positive%d' % i)]):
            part = tf.identity(part)
        loss = tf.reduce_mean(tf.log(part * w))
        loss = tf.check_numerics(loss, 'loss of tower %d' % i)
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
checked = [(tf.check_numerics((a + b) / 2, 'gradient'), v) for (a, v), (b, _) in zip(*grads)]
train = opt.apply_gradients(checked)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        print(sess.run([losses, train], {x: rng.rand(4) + 0.1})[0], sess.run(w))
    for bad in ([1, 1, 1, -1], [-1, 1, 1, 1], [np.inf, 1, 1, 1]):
        try:
            sess.run(train, {x: bad})
            print('trained')
        except tf.errors.InvalidArgumentError as e:
            print(type(e).__name__, 'assertion' in e.message.lower(), 'Inf' in e.message)
        print(sess.run(w))
