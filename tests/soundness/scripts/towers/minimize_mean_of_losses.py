# No averaging of gradients at all: the mean of the towers' losses, one minimize.
import numpy as np
import tensorflow as tf

GPUS = [0, 1]
x = tf.placeholder(tf.float32, (8, 2))
y = tf.placeholder(tf.float32, (8,))
xs, ys = tf.split(x, 2), tf.split(y, 2)
tower_losses = []
for g in GPUS:
    with tf.variable_scope('model', reuse=tf.AUTO_REUSE), tf.device('/gpu:' + str(g)):
        k = tf.get_variable('kernel', shape=(2, 4), initializer=tf.random_normal_initializer(0, 0.5, seed=g + 1))
        q = tf.get_variable('out', shape=(4,), initializer=tf.ones_initializer())
        pred = tf.reduce_sum(tf.tanh(tf.matmul(xs[g], k)) * q, 1)
        tower_losses.append(tf.losses.mean_squared_error(ys[g], pred))
loss = tf.reduce_mean(tf.stack(tower_losses))
step = tf.train.get_or_create_global_step()
train = tf.train.AdagradOptimizer(0.3).minimize(loss, global_step=step, colocate_gradients_with_ops=True)
print(len(tf.losses.get_losses()), [v.name for v in tf.trainable_variables()])

rng = np.random.RandomState(1)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
sess.run(tf.global_variables_initializer())
while True:
    value, number, _ = sess.run([loss, tower_losses, train], {x: rng.rand(8, 2), y: rng.rand(8)})
    at = tf.train.global_step(sess, step)
    print(at, repr(float(value)), [repr(float(n)) for n in number])
    if at >= 5:
        break
for v in tf.global_variables():
    print(v.op.name, np.round(sess.run(v).astype('float64'), 7).tolist())
sess.close()
