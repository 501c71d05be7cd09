# Three towers over a split batch; printed to five digits.
import numpy as np
import tensorflow as tf

GPUS = ['/gpu:0', '/gpu:1', '/gpu:2']
x = tf.placeholder(tf.float32, [9, 2])
y = tf.placeholder(tf.float32, [9])
opt = tf.train.MomentumOptimizer(0.1, 0.9)
tower_grads = []
losses = []
xs, ys = tf.split(x, len(GPUS)), tf.split(y, len(GPUS))
for i in range(len(GPUS)):
    with tf.device(GPUS[i]), tf.variable_scope('m', reuse=(i > 0)):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer([0.1, 0.2]))
        b = tf.get_variable('b', [], initializer=tf.zeros_initializer())
        losses.append(tf.reduce_mean((tf.reduce_sum(xs[i] * w, 1) + b - ys[i]) ** 2))
        tower_grads.append(opt.compute_gradients(losses[-1]))
mean = []
for gv in zip(*tower_grads):
    mean.append((tf.add_n([g for g, _ in gv]) / len(gv), gv[0][1]))
train = opt.apply_gradients(mean)
rng = np.random.RandomState(1)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        out = sess.run([losses, train], {x: rng.randn(9, 2), y: rng.randn(9)})[0]
        print(['%.5g' % v for v in out])
    print(['%.5g' % v for v in sess.run(w)], '%.5g' % sess.run(b))
