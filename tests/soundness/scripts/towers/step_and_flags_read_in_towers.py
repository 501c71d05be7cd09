# Towers read the global step (int64), a flag (bool) and a table of words: what is not a weight.
import numpy as np
import tensorflow as tf

step = tf.train.get_or_create_global_step()
warm = tf.get_variable('warm', [], tf.bool, initializer=tf.constant_initializer(True), trainable=False)
counts = tf.get_variable('counts', [2], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
x = tf.placeholder(tf.float32, [2, 3])
opt = tf.train.AdamOptimizer(0.1)
losses, grads, marks = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('v', reuse=i > 0):
        w = tf.get_variable('w', [3], initializer=tf.ones_initializer())
        noise = tf.where(warm, 0.0, 1.0 / (1.0 + tf.cast(step, tf.float32)))
        loss = tf.square(tf.reduce_sum(x[i] * w) - noise)
        losses.append(loss)
        grads.append(opt.compute_gradients(loss, [w]))
        marks.append(tf.stack([tf.cast(step, tf.int32), counts[i]]))
mean = [((a + b) / 2.0, v) for (a, v), (b, _) in zip(*grads)]
with tf.control_dependencies(losses + marks):
    train = opt.apply_gradients(mean, step)
    touch = counts.assign_add([1, 2])
cool = warm.assign(False)
rng = np.random.RandomState(4)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in range(5):
        l, m, _, _ = sess.run([losses, marks, train, touch], {x: rng.randn(2, 3)})
        print(['%.9g' % v for v in l], [k.tolist() for k in m])
        if n == 2:
            print(sess.run(cool))
    print(sess.run([step, warm]), sess.run(counts).tolist(), sess.run(w).tolist())
