# An iterator from a Python generator with state; the session is asked for batches by name and by object.
import numpy as np
import tensorflow as tf


def numbers():
    rng = np.random.RandomState(0)
    for i in range(7):
        yield i, rng.rand(2).astype(np.float32)


data = tf.data.Dataset.from_generator(numbers, (tf.int32, tf.float32), ([], [2])).batch(2).prefetch(1)
it = tf.data.make_initializable_iterator(data)
n, x = it.get_next(name='batch')
w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.squared_difference(x, w))
train = tf.train.AdamOptimizer(0.3).minimize(loss)
with tf.control_dependencies([train]):
    n = tf.identity(n)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        sess.run(n)
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    for epoch in range(2):
        sess.run(it.initializer)
        while True:
            try:
                i, l = sess.run([n, loss])
            except tf.errors.OutOfRangeError:
                print('epoch', epoch, 'over')
                break
            print(i.tolist(), '%.9g' % l)
    print(sess.run(w).tolist())
