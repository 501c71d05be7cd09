# The supervisor starts the queue runners of the graph.
import numpy as np
import tensorflow as tf

values = np.arange(12, dtype=np.float32) / 4.0
with tf.Graph().as_default():
    one = tf.train.input_producer(values, shuffle=False, num_epochs=None).dequeue()
    batch = tf.train.batch([one], 3)
    m = tf.Variable(0.0)
    gs = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean((batch - m) ** 2)
    train = tf.train.GradientDescentOptimizer(0.3).minimize(loss, gs)
    with tf.control_dependencies([train]):
        seen = tf.identity(batch)
    sv = tf.train.Supervisor(logdir='', summary_op=None)
    with sv.managed_session() as sess:
        for _ in range(5):
            b, l = sess.run([seen, loss])
            print(b.tolist(), '%.9g' % l, sess.run(m))
        sv.request_stop()
    print(sv.coord.should_stop())
