# What an assignment gives is the variable after that write: read, gathered, scattered into and assigned again.
import tensorflow as tf

w = tf.get_variable('w', [4], initializer=tf.ones_initializer())
table = tf.get_variable('table', [3, 2], initializer=tf.ones_initializer())
zeros = tf.zeros([4])
several = [
    tf.gather(tf.scatter_update(w, [1], [9.0]), [0, 1]),
    tf.gather(tf.assign(w, zeros + 3.0), [2]),
    tf.nn.embedding_lookup(tf.scatter_add(table, [1], [[5.0, 5.0]]), [1]),
    tf.gather_nd(tf.assign_add(table, tf.ones([3, 2])), [[1, 1]]),
    tf.assign(w, [1.0, 2.0, 3.0, 4.0])[1:3],
    tf.scatter_sub(tf.scatter_mul(tf.assign(w, zeros + 2.0), [0], [4.0]), [0, 1], [1.0, 0.5]),
    tf.scatter_nd_update(tf.assign(w, zeros), [[3]], [7.0]),
    tf.scatter_nd_add(tf.scatter_nd_update(w, [[2]], [1.0]), [[2]], [1.0]),
    tf.reduce_sum(tf.assign_sub(w, zeros + 1.0)) * 2.0,
    tf.assign_add(w.assign(zeros), zeros + 1.0),
    tf.stack([tf.assign(w, zeros + 5.0), zeros]),
    tf.matmul(tf.assign(table, tf.ones([3, 2])), [[1.0], [2.0]]),
    tf.scatter_update(w, [3], [2.0])[3],
]
for i in range(2):
    with tf.device('/gpu:%d' % i):
        total = tf.reduce_sum(w) + tf.reduce_sum(table)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for each in several:
        print(sess.run(each).tolist(), sess.run(w).tolist(), sess.run(total))
