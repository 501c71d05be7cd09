# Loss scaling: the loss is multiplied, the gradients divided; one optimizer used for two training operations.
import numpy as np
import tensorflow as tf

SCALE = 128.
x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.GradientDescentOptimizer(0.05)
towers = []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('net', reuse=i > 0):
        w = tf.get_variable('w', [2], initializer=tf.constant_initializer(0.7))
        u = tf.get_variable('u', [2], initializer=tf.constant_initializer(-0.7))
        loss = tf.reduce_mean(tf.square(x[i * 2:i * 2 + 2] * w + u))
        gv = opt.compute_gradients(loss * SCALE, gate_gradients=tf.train.Optimizer.GATE_GRAPH)
        towers.append((loss, [(g / SCALE, v) for g, v in gv]))
mean = [((a + b) / 2, v) for (a, v), (b, _) in zip(towers[0][1], towers[1][1])]
train_all = opt.apply_gradients(mean)
train_last = opt.apply_gradients([(g, v) for g, v in mean if v.op.name.endswith('/u')])
rng = np.random.RandomState(7)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(6):
        feed = {x: rng.randn(4, 2)}
        sess.run(train_all if i % 2 else train_last, feed)
        print(i, sess.run([l for l, _ in towers], feed), sess.run([w, u]))
