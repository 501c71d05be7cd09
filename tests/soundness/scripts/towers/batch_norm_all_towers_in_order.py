# Every tower's moving averages are applied, one tower after the other: an order made by control dependencies.
import numpy as np
import tensorflow as tf

N = 2
x = tf.placeholder(tf.float32, [N * 3, 2])
y = tf.placeholder(tf.float32, [N * 3, 1])


def normalize(v):
    mean = tf.get_variable('mean', [2], initializer=tf.zeros_initializer, trainable=False)
    count = tf.get_variable('count', [], tf.int32, initializer=tf.zeros_initializer, trainable=False)
    batch_mean = tf.reduce_mean(v, 0)

    def update():
        with tf.control_dependencies([tf.assign_sub(mean, 0.25 * (mean - batch_mean))]):
            return tf.assign_add(count, 1)
    return v - batch_mean, update


opt = tf.train.GradientDescentOptimizer(0.1)
updates, tower_grads, losses = [], [], []
for i in range(N):
    with tf.device('/gpu:%d' % i), tf.variable_scope('bn', reuse=i > 0):
        v, update = normalize(x[i * 3:(i + 1) * 3])
        w = tf.get_variable('w', [2, 1], initializer=tf.constant_initializer([[.3], [.7]]))
        loss = tf.reduce_mean((tf.matmul(v, w) - y[i * 3:(i + 1) * 3]) ** 2)
        updates.append(update)
        losses.append(loss)
        tower_grads.append(opt.compute_gradients(loss))

grads = [(tf.reduce_mean(tf.concat([tf.expand_dims(g, 0) for g, _ in gv], 0), 0), gv[0][1])
         for gv in zip(*tower_grads)]
done = opt.apply_gradients(grads)
for update in updates:
    with tf.control_dependencies([done]):
        done = update()

r = np.random.RandomState(6)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: r.randn(6, 2) + 1, y: r.randn(6, 1)}
        print(sess.run(losses, feed))
        print('updates so far', sess.run(done, feed))
        print([sess.run(v).ravel().tolist() for v in tf.global_variables()])
