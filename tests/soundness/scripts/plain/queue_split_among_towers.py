# One batch out of a queue of slices for all towers, split among them; the queues are started without a coordinator.
import numpy as np
import tensorflow as tf

NUM_TOWERS = 2


def examples():
    rng = np.random.RandomState(9)
    return rng.randn(10, 3).astype(np.float32), rng.randn(10).astype(np.float32)


def get_batch():
    rows, targets = examples()
    row, target = tf.train.slice_input_producer([tf.constant(rows), tf.constant(targets)], shuffle=False)
    return tf.train.batch([tf.multiply(row, 2.0), target], batch_size=6)


x, y = get_batch()
global_step = tf.train.get_or_create_global_step()
lr = tf.train.exponential_decay(0.1, global_step, 2, 0.9)
opt = tf.train.AdamOptimizer(lr)
xs = tf.split(x, NUM_TOWERS)
ys = tf.split(y, NUM_TOWERS)
tower_grads = []
tower_losses = []
with tf.variable_scope(tf.get_variable_scope()):
    for i in range(NUM_TOWERS):
        with tf.device('/gpu:%d' % i), tf.name_scope('tower_%d' % i):
            w = tf.get_variable('w', [3], initializer=tf.random_uniform_initializer(-1, 1, seed=7))
            loss = tf.reduce_mean(tf.square(tf.reduce_sum(xs[i] * w, 1) - ys[i]))
            tf.get_variable_scope().reuse_variables()
            tower_losses.append(loss)
            tower_grads.append(opt.compute_gradients(loss))
grads = []
for pairs in zip(*tower_grads):
    grads.append((tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]))
train_op = opt.apply_gradients(grads, global_step=global_step)
mean_loss = tf.reduce_mean(tf.stack(tower_losses), 0)
init = tf.global_variables_initializer()
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    init.run()
    tf.train.start_queue_runners(sess)
    for step in range(6):
        _, value, rate = sess.run([train_op, mean_loss, lr])
        print('%d %.9g %.9g' % (step, value, rate))
    print('a batch more: %.9g' % sess.run(mean_loss))
    print(' '.join('%.9g' % value for value in sess.run(w)))
