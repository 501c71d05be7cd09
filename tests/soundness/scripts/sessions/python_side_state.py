# Values of one run decide what is built and run next: early stopping, best weights kept as NumPy, lr halved.
import numpy as np
import tensorflow as tf

x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None])
lr = tf.placeholder_with_default(tf.constant(0.5), [])
w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
err = tf.reduce_sum(x * w, 1) - y
mse = tf.reduce_mean(err ** 2)
train = tf.train.GradientDescentOptimizer(lr).minimize(mse)
rng = np.random.RandomState(1)
valid = (rng.randn(5, 2), rng.randn(5))
best, best_w, rate, bad = float('inf'), None, 0.5, 0
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(10):
        bx = rng.randn(4, 2)
        sess.run(train, {x: bx, y: bx.dot([1, -1]), lr: rate})
        score = sess.run(mse, {x: valid[0], y: valid[1]})
        print(epoch, '%.9g' % score, rate)
        if score < best:
            best, best_w, bad = score, sess.run(w), 0
        else:
            bad += 1
            rate /= 2
        if bad == 2:
            break
    w.load(best_w, sess)
    print(sess.run(w).tolist(), '%.9g' % sess.run(mse, {x: valid[0], y: valid[1]}), epoch)
