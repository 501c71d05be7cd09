# L2 regularizers set on the scope; REGULARIZATION_LOSSES are added once, to the mean loss.
import numpy as np
import tensorflow as tf


def l2(scale):
    def regularize(v):
        return scale * tf.nn.l2_loss(v)
    return regularize


def network(x):
    with tf.variable_scope('a'):
        w = tf.get_variable('w', [3, 3], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=1))
    with tf.variable_scope('b', regularizer=l2(0.5)):
        u = tf.get_variable('u', [3, 1], initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=2))
    return tf.matmul(tf.nn.elu(tf.matmul(x, w)), u)


x, y = tf.placeholder(tf.float32, [6, 3]), tf.placeholder(tf.float32, [6, 1])
losses = []
with tf.variable_scope('net', regularizer=l2(0.01)) as scope:
    for n, (px, py) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
        with tf.device('/gpu:%d' % n):
            if n:
                scope.reuse_variables()
            losses.append(tf.reduce_mean(tf.square(network(px) - py)))
regular = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
print(len(regular), [r.op.name for r in regular])
data_loss = tf.add_n(losses) / len(losses)
loss = data_loss + tf.add_n(regular)
step = tf.Variable(0, name='global_step', trainable=False)
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
rng = np.random.RandomState(3)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
sess.run(tf.initialize_all_variables())
for _ in range(5):
    feed = {x: rng.randn(6, 3), y: rng.randn(6, 1)}
    a, b = sess.run([data_loss, loss], feed)
    sess.run(train, feed)
    print('%.9g %.9g' % (a, b), sess.run(step))
print([['%.9g' % e for e in row] for row in sess.run(tf.trainable_variables()[0])])
print('%.9g' % sess.run(tf.losses.get_regularization_loss()))
