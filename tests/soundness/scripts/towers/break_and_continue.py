# A loop over more devices than are wanted: continue for one, break after two; variables of one tower only.
import numpy as np
import tensorflow as tf

names = ['/gpu:0', '/cpu:7', '/gpu:1', '/gpu:2', '/gpu:3']
x = tf.placeholder(tf.float32, [4, 3])
opt = tf.train.MomentumOptimizer(0.1, 0.3)
made, tower_grads, extra = 0, [], None
for name in names:
    if name.startswith('/cpu'):
        continue
    if made >= 2:
        break
    with tf.device(name):
        with tf.variable_scope('w%s' % '', reuse=made > 0):
            v = tf.get_variable('v', [3], initializer=tf.constant_initializer(0.2))
        loss = tf.reduce_mean(tf.cosh(tf.reduce_sum(x[made * 2:made * 2 + 2] * v, 1)))
        if made == 0:
            bias = tf.Variable(0.3, name='first_only')
            loss = loss + bias * bias
            extra = bias
        tower_grads.append(opt.compute_gradients(loss, [v]))
        if made == 0:
            extra_grad = tf.gradients(loss, extra)[0]
    made += 1
grads = [(tf.reduce_mean(tf.stack([g for g, _ in gv]), 0), gv[0][1]) for gv in zip(*tower_grads)]
grads.append((extra_grad, extra))
train = opt.apply_gradients(grads)
rng = np.random.RandomState(2)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    print('towers', made)
    for _ in range(5):
        d = {x: rng.randn(4, 3)}
        print('%.9g' % sess.run(loss, d), end=' ')
        sess.run(train, d)
        print(sess.run([v, extra]))
