# One structure, two initialisers: training and test data; map with a py_func; accuracy by hand.
import numpy as np
import tensorflow as tf


def scale(v):
    return (v * 2 - 1).astype(np.float32)


def make(seed, size):
    rng = np.random.RandomState(seed)
    xs = rng.rand(size, 3).astype(np.float32)
    ys = (xs.sum(1) > 1.5).astype(np.int32)
    d = tf.data.Dataset.from_tensor_slices((xs, ys))

    def parse(a, b):
        a = tf.py_func(scale, [a], tf.float32)
        a.set_shape([3])
        return a, b
    return d.map(parse).batch(4, drop_remainder=True)


training, test = make(0, 16), make(1, 8)
iterator = tf.data.Iterator.from_structure(
    tf.data.get_output_types(training), tf.data.get_output_shapes(training))
x, y = iterator.get_next()
init_train, init_test = iterator.make_initializer(training), iterator.make_initializer(test)
opt = tf.train.AdamOptimizer(0.1)
all_grads, all_logits = [], []
for k, (px, py) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
    with tf.device('/device:GPU:%d' % k), tf.variable_scope('v', reuse=tf.AUTO_REUSE):
        logits = tf.matmul(px, tf.get_variable('w', [3, 2], initializer=tf.zeros_initializer()))
        logits = logits + tf.get_variable('b', [2], initializer=tf.zeros_initializer())
        loss = tf.losses.sparse_softmax_cross_entropy(py, logits)
        all_logits.append(logits)
        all_grads.append(opt.compute_gradients(loss))
train = opt.apply_gradients([(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*all_grads)])
correct = tf.equal(tf.argmax(tf.concat(all_logits, 0), 1), tf.cast(y, tf.int64))
accuracy = tf.reduce_mean(tf.to_float(correct))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(2):
        sess.run(init_train)
        for _ in range(4):
            print('%.9g' % sess.run([loss, train])[0], end=' ')
        print()
        sess.run(init_test)
        print('accuracy', [float(sess.run(accuracy)) for _ in range(2)])
    print([sess.run(v).tolist() for v in tf.trainable_variables()])
