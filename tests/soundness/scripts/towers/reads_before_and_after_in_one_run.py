# In one run each tower reads before the update and after it, by control dependencies.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2])
w = tf.get_variable('w', [2], initializer=tf.constant_initializer([1.0, -1.0]))
opt = tf.train.MomentumOptimizer(0.1, 0.9)
before, after, grads = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        before.append(tf.reduce_mean(tf.square(tf.reduce_sum(x[i * 2:i * 2 + 2] * w, 1) - 1), name='before'))
        grads.append(opt.compute_gradients(before[i]))
mean = [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)]
with tf.control_dependencies(before):
    train = opt.apply_gradients(mean)
with tf.control_dependencies([train]):
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            new = w.read_value()
            after.append(tf.reduce_mean(tf.square(tf.reduce_sum(x[i * 2:i * 2 + 2] * new, 1) - 1), name='after'))
with tf.control_dependencies(after):
    reset = tf.cond(tf.reduce_max(after) > 4.0, lambda: w.assign([0., 0.]), lambda: w.assign_add([0., 0.]))
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        b, a, _ = sess.run([before, after, reset], {x: rng.randn(4, 2) * 2})
        print(['%.9g' % v for v in b], ['%.9g' % v for v in a], sess.run(w).tolist())
    print(sess.run(opt.get_slot(w, 'momentum')).tolist())
