# Every learning rate schedule of TF1 against the step.
import tensorflow as tf

step = tf.Variable(0, trainable=False)
rates = {
    'exp': tf.train.exponential_decay(0.1, step, 3, 0.5),
    'stair': tf.train.exponential_decay(0.1, step, 3, 0.5, staircase=True),
    'piece': tf.train.piecewise_constant(step, [2, 4], [1.0, 0.5, 0.1]),
    'poly': tf.train.polynomial_decay(0.1, step, 4, 0.01, power=0.5, cycle=True),
    'natural': tf.train.natural_exp_decay(0.1, step, 2, 0.5),
    'inverse': tf.train.inverse_time_decay(0.1, step, 2, 0.5),
    'cosine': tf.train.cosine_decay(0.1, step, 5, 0.1),
    'restarts': tf.train.cosine_decay_restarts(0.1, step, 2),
    'linear cosine': tf.train.linear_cosine_decay(0.1, step, 5),
}
warm = tf.cond(step < 3, lambda: 0.01 * tf.cast(step + 1, tf.float32), lambda: rates['exp'])
w = tf.Variable(1.0)
train = tf.train.GradientDescentOptimizer(warm).minimize(tf.sin(w) * 3.0, global_step=step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(6):
        print({k: '%.6g' % v for k, v in sorted(sess.run(rates).items())}, '%.6g' % sess.run(warm))
        sess.run(train)
        print(sess.run([step, w]))
