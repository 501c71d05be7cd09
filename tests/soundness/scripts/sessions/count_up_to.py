# count_up_to as a loop counter: OutOfRange ends the training.
import tensorflow as tf

limit = tf.Variable(0, name='limit', trainable=False)
tick = limit.count_up_to(4)
w = tf.Variable(4.0)
loss = tf.square(w) + 1.0
with tf.control_dependencies([tick]):
    train = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        while True:
            at, _ = sess.run([tick, train])
            print(at, sess.run(limit), '%.9g %.9g' % tuple(sess.run([loss, w])))
    except tf.errors.OutOfRangeError as e:
        print(type(e).__name__, sess.run(limit))
    print('%.9g' % sess.run(w))
    sess.run(limit.assign(2))
    print(sess.run(tf.count_up_to(limit, 10)), sess.run(limit))
