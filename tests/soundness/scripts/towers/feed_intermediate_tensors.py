# Feeding what is not a placeholder: an activation of a tower, the mean loss, a gradient, a variable's read.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 2], name='x')
opt = tf.train.GradientDescentOptimizer(0.5)
hidden, losses, grads = [], [], []
for i in range(2):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i), tf.variable_scope('n', reuse=i > 0):
        w = tf.get_variable('w', [2, 2], initializer=tf.constant_initializer([[1., 0.], [0., 1.]]))
        h = tf.nn.relu(tf.matmul(x[i * 2:i * 2 + 2], w), name='hidden')
        hidden.append(h)
        losses.append(tf.reduce_mean(tf.reduce_sum(h, 1) ** 2, name='loss'))
        grads.append(opt.compute_gradients(losses[i]))
mean_grad = tf.reduce_mean(tf.stack([grads[0][0][0], grads[1][0][0]]), 0)
train = opt.apply_gradients([(mean_grad, w)])
mean_loss = tf.add_n(losses) * 0.5
rng = np.random.RandomState(0)
data = rng.randn(4, 2).astype('f')
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(mean_loss, {x: data}))
    print(sess.run(mean_loss, {x: data, hidden[1]: np.ones([2, 2])}))
    print(sess.run(mean_loss, {hidden[0]: np.ones([2, 2]), 'tower_1/n/hidden:0': np.zeros([2, 2])}))
    print(sess.run([mean_loss, losses[0]], {x: data, losses[1]: 10.0}))
    sess.run(train, {mean_grad: [[1., 2.], [3., 4.]]})
    print(sess.run(w).tolist())
    sess.run(train, {x: data, grads[0][0][0]: np.zeros([2, 2])})
    print(sess.run(w).tolist())
    print(sess.run(losses[0], {x: data, w: np.eye(2)}), sess.run(w).tolist())
