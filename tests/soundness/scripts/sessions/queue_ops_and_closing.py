# Queues: many at once, sizes, is_closed, cancelled enqueues, a padding queue.
import numpy as np
import tensorflow as tf

q = tf.FIFOQueue(10, tf.float32, shapes=[2], name='q')
x = tf.placeholder(tf.float32, [None, 2])
put_many, get_one, get_many = q.enqueue_many([x]), q.dequeue(), q.dequeue_many(3)
up_to, size, closed, close = q.dequeue_up_to(4), q.size(), q.is_closed(), q.close()
padding = tf.PaddingFIFOQueue(5, [tf.int32], [[None]])
row = tf.placeholder(tf.int32, [None])
put_row, rows = padding.enqueue([row]), padding.dequeue_many(2)
w = tf.Variable(1.0)
train = tf.train.GradientDescentOptimizer(0.01).minimize(w * tf.reduce_sum(get_one))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(put_many, {x: np.arange(16).reshape(8, 2)})
    print(sess.run(size), sess.run(get_one).tolist(), sess.run(get_many).tolist(), sess.run(size))
    sess.run(train)
    print(sess.run(w), sess.run(size), sess.run(closed))
    sess.run(close)
    print(sess.run(closed), sess.run(up_to).tolist())
    for op in (get_one, put_many):
        try:
            sess.run(op, {x: np.zeros([1, 2])})
        except tf.errors.OpError as e:
            print(type(e).__name__)
    sess.run(put_row, {row: [1, 2, 3]})
    sess.run(put_row, {row: [4]})
    print(sess.run(rows).tolist(), q.name, q.shapes[0].as_list(), [d.name for d in q.dtypes])
with tf.Session() as other:
    other.run(put_many, {x: np.ones([2, 2])})
    print(other.run(size))
