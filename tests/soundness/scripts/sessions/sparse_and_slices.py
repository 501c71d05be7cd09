# SparseTensors fed and fetched; IndexedSlices fetched; a sparse placeholder.
import numpy as np
import tensorflow as tf

sp = tf.sparse_placeholder(tf.float32, shape=[3, 4])
w = tf.get_variable('w', [4, 2], initializer=tf.constant_initializer(np.arange(8) / 10.0))
ids = tf.placeholder(tf.int32, [None])
rows = tf.gather(w, ids)
loss = tf.reduce_sum(tf.sparse_tensor_dense_matmul(sp, w)) + tf.reduce_sum(rows ** 2)
opt = tf.train.GradientDescentOptimizer(0.1)
gather_grad = tf.gradients(tf.reduce_sum(rows ** 2), w)[0]
train = opt.minimize(loss)
value = tf.SparseTensorValue(indices=[[0, 1], [2, 3]], values=[1.0, 2.0], dense_shape=[3, 4])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    out = sess.run(sp, {sp: value})
    print(type(out).__name__, out.indices.tolist(), out.values.tolist(), out.dense_shape.tolist())
    out = sess.run(sp, {sp: ([[1, 1]], [5.0], [3, 4])})
    print(out.values.tolist())
    g = sess.run(gather_grad, {ids: [1, 3]})
    print(type(g).__name__, g.indices.tolist(), g.values.tolist())
    for _ in range(3):
        print(sess.run(loss, {sp: value, ids: [0, 2]}))
        sess.run(train, {sp: value, ids: [0, 2]})
    print(sess.run(w).tolist())
    doubled = tf.SparseTensor(sp.indices, sp.values * 2, sp.dense_shape)
    print(sess.run([doubled, tf.sparse_reduce_sum(doubled)], {sp: value})[0].values.tolist())
    print(doubled.eval({sp: value}).dense_shape.tolist(), sess.run(tf.sparse_tensor_to_dense(sp), {sp: value}).sum())
