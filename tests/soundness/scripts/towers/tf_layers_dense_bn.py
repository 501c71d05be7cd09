# tf.layers: dense, batch_normalization with UPDATE_OPS of the first tower, dropout with a training switch.
import numpy as np
import tensorflow as tf

tf.set_random_seed(19)
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
training = tf.placeholder_with_default(False, [], name='training')


def net(v, reuse):
    with tf.variable_scope('net', reuse=reuse):
        h = tf.layers.dense(v, 5, name='fc1')
        h = tf.layers.batch_normalization(h, training=training, momentum=0.7, name='bn')
        h = tf.layers.dropout(tf.nn.relu(h), 0.4, training=training, seed=3)
        return tf.layers.dense(h, 1, use_bias=False, name='fc2')


opt = tf.train.GradientDescentOptimizer(0.1)
grads, losses = [], []
for i, (a, b) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
    with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i) as scope:
        losses.append(tf.reduce_mean((net(a, i > 0) - b) ** 2))
        if i == 0:
            update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        grads.append(opt.compute_gradients(losses[i]))
print(len(update_ops), len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)))
with tf.control_dependencies(update_ops):
    train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])
rng = np.random.RandomState(4)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        feed = {x: rng.randn(8, 4), y: rng.randn(8, 1), training: True}
        print(['%.8g' % v for v in sess.run(losses + [train], feed)[:2]])
    print(sess.run(losses, {x: rng.randn(4, 4), y: rng.randn(4, 1)}))
    for v in tf.global_variables():
        print(v.name, '%.7g' % sess.run(v).sum())
