# Every tower adds to a shared counter, in an order; the schedule reads the counter.
import numpy as np
import tensorflow as tf

seen = tf.get_variable('seen', [], tf.int64, tf.zeros_initializer(tf.int64), trainable=False)
lr = tf.train.inverse_time_decay(0.3, seen, 6, 0.5)
opt = tf.train.GradientDescentOptimizer(lr)
x = tf.placeholder(tf.float32, [None, 2])
order, grads, losses = [lr], [], []
for i, part in enumerate(tf.split(x, 2)):
    with tf.device('/gpu:%d' % i):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.4)) if i == 0 else w
        losses.append(tf.reduce_mean(tf.square(tf.reduce_sum(part * w, 1) - 1)))
        grads.append(tf.gradients(losses[i], w)[0])
        with tf.control_dependencies(order + [grads[i]]), tf.device('/cpu:0'):
            order = [tf.assign_add(seen, tf.shape(part, out_type=tf.int64)[0])]
with tf.control_dependencies(grads):
    update = opt.apply_gradients([((grads[0] + grads[1]) / 2, w)])
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for n in (2, 4, 2, 6):
        feed = {x: rng.randn(n, 2)}
        print('%.7g' % sess.run(lr), ['%.9g' % v for v in sess.run(losses, feed)])
        sess.run(update, feed)
        sess.run(order, feed)
        print(sess.run(seen), sess.run(w).tolist())
