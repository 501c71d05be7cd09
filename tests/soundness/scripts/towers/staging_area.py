# A StagingArea of each tower: put and get in the same step, filled once before.
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import data_flow_ops

x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.GradientDescentOptimizer(0.1)
puts, grads, losses, gets = [], [], [], []
for i, part in enumerate(tf.split(x, 2)):
    with tf.device('/gpu:%d' % i):
        area = data_flow_ops.StagingArea([tf.float32], shapes=[[2, 2]])
        puts.append(area.put([part]))
        got = area.get()
        batch = got[0] if isinstance(got, (list, tuple)) else got
        gets.append(batch)
        with tf.variable_scope('v', reuse=i > 0):
            w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
            loss = tf.reduce_mean((batch * w - 0.5) ** 2)
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
with tf.control_dependencies(gets):
    fill = tf.group(*puts)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        sess.run(puts, {x: rng.randn(4, 2)})
        print(['%.9g' % v for v in sess.run(losses + [train])[:2]])
    print(sess.run(w).tolist())
    sess.run(puts, {x: np.ones([4, 2])})
    print(sess.run(losses))
