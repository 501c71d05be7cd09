# Batches come from a generator through tf.data; every tower takes its part; the end of the data ends the loop.
import numpy as np
import tensorflow as tf


def batches():
    rng = np.random.RandomState(6)
    for _ in range(5):
        yield rng.randn(6, 3).astype(np.float32), rng.randn(6).astype(np.float32)


dataset = tf.data.Dataset.from_generator(batches, (tf.float32, tf.float32), ([6, 3], [6]))
iterator = tf.data.make_initializable_iterator(dataset)
images, targets = iterator.get_next()
opt = tf.train.RMSPropOptimizer(0.05)
tower_grads = []
tower_losses = []
with tf.variable_scope(tf.get_variable_scope()):
    for i, gpu in enumerate([0, 1]):
        with tf.device('/gpu:%d' % gpu):
            with tf.name_scope('tower_%d' % i):
                part = tf.split(images, 2)[i]
                w = tf.get_variable('w', [3], initializer=tf.random_uniform_initializer(-1, 1, seed=7))
                loss = tf.reduce_mean(tf.square(tf.reduce_sum(part * w, 1) - tf.split(targets, 2)[i]))
                tf.get_variable_scope().reuse_variables()
                tower_losses.append(loss)
                tower_grads.append(opt.compute_gradients(loss))
grads = []
for pairs in zip(*tower_grads):
    grads.append((tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]))
train_op = opt.apply_gradients(grads)
mean_loss = tf.reduce_mean(tf.stack(tower_losses), 0)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(iterator.initializer)
    try:
        while True:
            _, value = sess.run([train_op, mean_loss])
            print('%.9g' % value)
    except tf.errors.OutOfRangeError:
        print('no more batches, of 5')
