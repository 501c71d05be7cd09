# Towers made by a list comprehension over a function; clip by value before the average.
import numpy as np
import tensorflow as tf

tf.set_random_seed(5)
X = tf.placeholder(tf.float32, [None, 4])
Y = tf.placeholder(tf.float32, [None, 1])
xs = tf.split(X, 2)
ys = tf.split(Y, 2)
opt = tf.train.AdamOptimizer(learning_rate=0.02, beta1=0.8)


def tower(i):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('m', reuse=bool(i)):
            w = tf.get_variable('w', [4, 1], initializer=tf.random_normal_initializer())
            loss = tf.reduce_mean(tf.abs(tf.matmul(xs[i], w) - ys[i]))
        gv = opt.compute_gradients(loss)
        return loss, [(tf.clip_by_value(g, -0.2, 0.2), v) for g, v in gv]


towers = [tower(i) for i in range(2)]
mean = [(tf.reduce_mean(tf.stack([g for g, _ in gv], 0), 0), gv[0][1]) for gv in zip(*[g for _, g in towers])]
train = opt.apply_gradients(mean)
rng = np.random.RandomState(0)
config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        d = {X: rng.randn(6, 4), Y: rng.randn(6, 1)}
        print('%d %.9g %.9g' % ((i,) + tuple(sess.run([l for l, _ in towers], d))))
        sess.run(train, d)
    print([(v.name, sess.run(v).ravel().tolist()) for v in tf.global_variables()])
