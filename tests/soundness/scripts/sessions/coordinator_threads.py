# Threads of the script's own that fill a queue through the session; joined by the coordinator.
import threading

import numpy as np
import tensorflow as tf

queue = tf.FIFOQueue(4, [tf.int32, tf.float32], shapes=[[], [2]])
number, vector = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [2])
put = queue.enqueue([number, vector])
n, v = queue.dequeue()
w = tf.Variable([0.0, 0.0])
loss = tf.reduce_sum((v - w) ** 2)
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
with tf.control_dependencies([train]):
    out = tf.identity(n)


def produce(sess, coord):
    rng = np.random.RandomState(3)
    for i in range(6):
        if coord.should_stop():
            return
        sess.run(put, {number: i, vector: rng.rand(2)})
    sess.run(queue.close())


close = queue.close()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = [threading.Thread(target=produce, args=(sess, coord))]
    for t in threads:
        t.start()
    try:
        while not coord.should_stop():
            got, value = sess.run([out, loss])
            print(got, '%.9g' % value, sess.run(w).tolist())
    except tf.errors.OutOfRangeError:
        print('queue closed')
        coord.request_stop()
    coord.join(threads)
    print(sess.run(w).tolist(), coord.joined)
