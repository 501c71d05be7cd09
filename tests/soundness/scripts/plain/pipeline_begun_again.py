import numpy as np
import tensorflow as tf

N = 2


def scaled(row):
    return tf.cast(row, tf.float32) / 8.0


def rows_of(batch, seed, count):
    dataset = tf.data.Dataset.from_tensor_slices(np.arange(48, dtype=np.int32).reshape(16, 3))
    dataset = dataset.map(scaled).shuffle(16, seed=seed).repeat(2)
    return dataset.batch(batch, drop_remainder=True).take(count)


seed = tf.placeholder(tf.int64, [])
count = tf.placeholder(tf.int64, [])
rows = rows_of(4, seed, count)
batches = tf.data.make_initializable_iterator(rows)
batch = batches.get_next()
parts = tf.split(batch, N)
opt = tf.train.MomentumOptimizer(0.01, 0.9)
grads = []
losses = []
for i in range(N):
    with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i):
        with tf.variable_scope("model", reuse=i > 0):
            w = tf.get_variable("w", [3, 2], initializer=tf.truncated_normal_initializer(seed=5))
            loss = tf.reduce_mean(tf.square(tf.matmul(parts[i], w) - 1.0))
        losses.append(loss)
        grads.append(opt.compute_gradients(loss))
mean = [(tf.reduce_mean(tf.stack([g for g, _ in pairs]), 0), pairs[0][1]) for pairs in zip(*grads)]
train_op = opt.apply_gradients(mean)
total = tf.add_n(losses)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(4):
        sess.run(batches.initializer, feed_dict={seed: epoch // 2, count: 3 + epoch})
        steps = 0
        try:
            while True:
                _, value = sess.run([train_op, total])
                steps += 1
                print(epoch, steps, value)
        except tf.errors.OutOfRangeError:
            print("epoch", epoch, "had", steps)
    print(sess.run(w))
