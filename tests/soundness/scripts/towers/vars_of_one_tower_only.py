# A head that only the last tower has; its gradients are appended after the average.
import numpy as np
import tensorflow as tf

N = 2
x = tf.placeholder(tf.float32, [4, 2])
opt = tf.train.AdamOptimizer(0.05)
shared_grads, own = [], []
for i in range(N):
    with tf.device('/gpu:%d' % i):
        with tf.variable_scope('shared', reuse=i > 0):
            w = tf.get_variable('w', [2, 2], initializer=tf.glorot_uniform_initializer(seed=1))
        h = tf.tanh(tf.matmul(x[i * 2:(i + 1) * 2], w))
        loss = tf.reduce_mean(h ** 2)
        if i == N - 1:
            with tf.variable_scope('head'):
                k = tf.get_variable('k', [2], initializer=tf.ones_initializer())
            head_loss = tf.reduce_mean((tf.reduce_sum(h * k, 1) - 1) ** 2)
            loss += head_loss
            own = opt.compute_gradients(head_loss, [k])
        shared_grads.append(opt.compute_gradients(loss, [w]))
grads = [(tf.add_n([g for g, _ in p]) / N, p[0][1]) for p in zip(*shared_grads)] + own
with tf.control_dependencies([g for g, _ in grads]):  # TF1 updates in place: k must not move before dw has read it
    train = opt.apply_gradients(grads)
r = np.random.RandomState(0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        a, b, _ = sess.run([loss, head_loss, train], {x: r.randn(4, 2)})
        print('%.9g %.9g' % (a, b))
    for v in tf.global_variables():
        print(v.op.name, sess.run(v).ravel().tolist())
