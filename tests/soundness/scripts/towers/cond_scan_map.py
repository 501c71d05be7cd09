# tf.cond, tf.scan and tf.map_fn inside towers; which branch is chosen depends on the global step.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [6, 3])
step = tf.train.get_or_create_global_step()
opt = tf.train.GradientDescentOptimizer(0.02)
results = []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('c', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [3], initializer=tf.constant_initializer([0.5, -1., 0.25]))
        part = x[3 * i:3 * i + 3]
        running = tf.scan(lambda a, b: a * 0.5 + b, part * w)
        squares = tf.map_fn(lambda r: tf.reduce_sum(r * r), running)
        even = tf.equal(tf.mod(step, 2), 0)
        loss = tf.cond(even, lambda: tf.reduce_mean(squares), lambda: tf.reduce_max(squares) + tf.reduce_sum(w ** 2))
        results.append((loss, opt.compute_gradients(loss)))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*[g for _, g in results])]
train = opt.apply_gradients(grads, global_step=step)
rng = np.random.RandomState(11)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: rng.randn(6, 3)}
        print(sess.run(step), ['%.7g' % v for v in sess.run([l for l, _ in results], feed)])
        sess.run(train, feed)
    print(['%.7g' % v for v in sess.run(w)])
