# Operations added after the session was made, between two runs: they are there in the next run.
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2])
w = tf.Variable([1.0, 1.0], name='w')
y = x * w
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {x: [1, 2]}).tolist())
for power in (1, 2, 3):
    loss = tf.reduce_sum(y ** power)
    train = tf.train.GradientDescentOptimizer(0.1 / power).minimize(loss)
    print(power, sess.run([loss, train], {x: [0.5, 1.5]})[0], sess.run(w).tolist())
late = tf.Variable(w.initialized_value() * 10.0, name='late')
sess.run(late.initializer)
print(sess.run(late).tolist(), sess.run(w.assign(late / 20.0)).tolist())
print(sess.run(tf.constant(3) + 4), sess.run(tf.global_variables())[1].tolist())
