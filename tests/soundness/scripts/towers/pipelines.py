# Batches from tf.data, split among the towers or taken by each.
import numpy as np
import tensorflow as tf

rows = np.random.RandomState(1).rand(12, 2).astype('f')
w = tf.get_variable('w', [2], initializer=tf.constant_initializer([.5, -.5]))
opt = tf.train.FtrlOptimizer(0.5)
losses, grads = [], []


def train_on(parts):
    for i in range(2):
        with tf.device('/gpu:%d' % i):
            losses.append(tf.reduce_mean(tf.reduce_sum(tf.square(parts[i] - w), 1)))
            grads.append(opt.compute_gradients(losses[i]))
    return opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)])


def until_the_end(sess, train):
    steps = 0
    while True:
        try:
            print(steps, sess.run([losses, train])[0])
            steps += 1
        except tf.errors.OutOfRangeError:
            return steps


session = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))

#: dataset_initializable_each_tower: every tower takes a batch of its own, in an order; initialised each epoch
source = tf.placeholder(tf.float32, [None, 2])
iterator = tf.data.make_initializable_iterator(tf.data.Dataset.from_tensor_slices(source).batch(2, drop_remainder=True))
previous = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        with tf.control_dependencies(previous), tf.device('/cpu:0'):
            batch = iterator.get_next()
        previous = previous + [batch]
train = train_on(previous)
with session as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        sess.run(iterator.initializer, {source: rows[epoch:11]})
        print('epoch', epoch, 'steps', until_the_end(sess, train), sess.run(w).tolist())

#: dataset_of_a_generator: from_generator with state of its own; an iterator that is not begun yet
def batches():
    rng = np.random.RandomState(6)
    for _ in range(3):
        yield rng.randn(6, 2).astype(np.float32)


iterator = tf.data.make_initializable_iterator(tf.data.Dataset.from_generator(batches, tf.float32, [6, 2]))
train = train_on(tf.split(iterator.get_next(name='batch'), 2))
with session as sess:
    sess.run(tf.global_variables_initializer())
    try:
        sess.run(train)
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    for epoch in range(2):
        sess.run(iterator.initializer)
        print('epoch', epoch, until_the_end(sess, train))

#: dataset_one_shot_and_a_fed_flag: one get_next, split; a flag and a size fed as other types than the placeholders'
batch = tf.data.Dataset.from_tensor_slices(rows).batch(4).make_one_shot_iterator().get_next()
halved, size = tf.placeholder(tf.bool), tf.placeholder(tf.int32, [2])
train = train_on([part * (1.0 + tf.to_float(halved)) + tf.to_float(size[0]) for part in tf.split(batch, 2)])
with session as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        print(sess.run([losses, train], {halved: step % 2, size: [1.0, 2.0]})[0])
    print(sess.run(w).tolist())

#: one_shot_of_each_tower: every tower takes a batch in its turn, until there is none; two fetches share the iterator
iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensor_slices(rows).map(lambda row: row * 2.0).batch(2))
first = iterator.get_next()
with tf.control_dependencies([first]):
    train = train_on([first, iterator.get_next()])
norm = tf.global_norm([g for pairs in grads for g, _ in pairs])
with session as sess:
    sess.run(tf.global_variables_initializer())
    print('norm %.9g' % sess.run(norm))
    print('no more batches after', until_the_end(sess, train), sess.run(w))

#: pipeline_begun_again: a seed and a count of batches are fed to the initializer
seed, count = tf.placeholder(tf.int64, []), tf.placeholder(tf.int64, [])
dataset = tf.data.Dataset.from_tensor_slices(np.arange(48, dtype=np.int32).reshape(24, 2))
dataset = dataset.map(lambda row: tf.cast(row, tf.float32) / 8.0).shuffle(16, seed=seed).repeat(2)
iterator = tf.data.make_initializable_iterator(dataset.batch(4, drop_remainder=True).take(count))
train = train_on(tf.split(iterator.get_next(), 2))
with session as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(4):
        sess.run(iterator.initializer, feed_dict={seed: epoch // 2, count: 3 + epoch})
        print('epoch', epoch, 'had', until_the_end(sess, train))
