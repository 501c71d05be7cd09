# A scope object entered again in each round, original_name_scope, names printed.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2], 'x')
with tf.variable_scope('net') as net_scope:
    pass
opt = tf.train.GradientDescentOptimizer(0.3)
grads, names, losses = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        with tf.name_scope('tower_%d/' % i):
            with tf.variable_scope(net_scope, reuse=(i == 1), auxiliary_name_scope=False):
                w = tf.get_variable('w', [2], initializer=tf.constant_initializer(1.0))
                h = tf.multiply(x[i * 2:i * 2 + 2], w, name='h')
            with tf.name_scope(net_scope.original_name_scope):
                loss = tf.reduce_mean(tf.square(h) - h, name='loss')
        names.append([h.name, loss.name, w.name])
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients([(tf.add_n([g for g, _ in p]) * .5, p[0][1]) for p in zip(*grads)], name='apply')
print(names, net_scope.name, train.name)
rng = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        print(sess.run([n[1] for n in names] + ['apply'], {'x:0': rng.randn(4, 2)})[:2])
    print(sess.run('net/w:0').tolist())
