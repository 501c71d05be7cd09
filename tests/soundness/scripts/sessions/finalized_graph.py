# graph.finalize(): running goes on, adding fails.
import numpy as np
import tensorflow as tf

with tf.Graph().as_default() as g:
    x = tf.placeholder(tf.float32, [4])
    w = tf.Variable(1.0)
    loss = tf.reduce_mean(tf.sin(x * w))
    train = tf.train.RMSPropOptimizer(0.1).minimize(loss)
    init = tf.global_variables_initializer()
    saver = tf.train.Saver()
    g.finalize()
    with tf.Session() as sess:
        sess.run(init)
        for i in range(4):
            feed = {x: np.arange(4) + i}
            print(sess.run([loss, train], feed)[0], sess.run(w), w.eval())
        try:
            tf.constant(1)
        except RuntimeError as e:
            print('RuntimeError', 'finalized' in str(e))
        try:
            tf.global_variables_initializer()
            print('one more initializer')
        except RuntimeError as e:
            print('RuntimeError', 'finalized' in str(e))
        print(g.finalized, loss.eval({x: np.ones(4)}))
