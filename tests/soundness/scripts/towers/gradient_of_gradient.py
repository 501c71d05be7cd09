# A gradient penalty: gradients of gradients within each tower, tf.gradients with grad_ys and stop_gradients.
# To five digits: a variable with three and more uses has gradients that can be added in more than one order.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.GradientDescentOptimizer(0.05)
losses, grads, pens = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.variable_scope('critic', reuse=tf.AUTO_REUSE):
        w = tf.get_variable('w', [2, 3], initializer=tf.glorot_uniform_initializer(seed=4))
        v = tf.get_variable('v', [3], initializer=tf.constant_initializer([1., -1., .5]))
        part = x[i * 2:i * 2 + 2]
        out = tf.reduce_sum(tf.nn.tanh(tf.matmul(part, w)) * v, 1)
        slope = tf.gradients(out, part, grad_ys=tf.ones_like(out) * 2.0)[0]
        penalty = tf.reduce_mean((tf.norm(slope, axis=1) - 1.) ** 2)
        loss = tf.reduce_mean(out) + 0.5 * penalty + tf.reduce_sum(tf.stop_gradient(v) * v) * 0.1
        losses.append(loss)
        pens.append(penalty)
        grads.append(list(zip(tf.gradients(loss, [w, v]), [w, v])))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: rng.randn(4, 2)}
        l, p = sess.run([losses, pens], feed)
        sess.run(train, feed)
        print(['%.5g' % e for e in l + p])
    print([['%.5g' % e for e in a.ravel()] for a in sess.run([w, v])])
