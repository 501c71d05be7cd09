# Batches of an iterator, beside a flag and a size that are fed as other types than the placeholders'.
import numpy as np
import tensorflow as tf

GPUS = 2
rows = np.arange(96, dtype=np.float32).reshape(32, 3) / 50
data = tf.data.Dataset.from_tensor_slices((rows, rows[:, :1] * 2)).repeat().batch(8)
x, y = data.make_one_shot_iterator().get_next()
halved = tf.placeholder(tf.bool)
size = tf.placeholder(tf.int32, [2])
opt = tf.train.MomentumOptimizer(0.1, 0.5)
xs = tf.split(x, GPUS)
ys = tf.split(y, GPUS)
tower_grads = []
for i in range(GPUS):
    with tf.device('/gpu:%d' % i), tf.variable_scope('model', reuse=i > 0):
        w = tf.get_variable('w', [3, 1], initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(xs[i], w) - ys[i])) * (1.0 + tf.to_float(halved))
        loss += tf.to_float(size[0]) * tf.nn.l2_loss(w)
        tower_grads.append(opt.compute_gradients(loss))
grads = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*tower_grads)]
train_op = opt.apply_gradients(grads)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for step in range(3):
    _, value = sess.run([train_op, loss], {halved: step % 2, size: [1.0, 2.0]})
    print(step, '%.9g' % value)
print(sess.run(w).ravel().tolist())
