# Supervisor with its own init_op, prepare_or_wait_for_session, loop, stop.
import sys

import numpy as np
import tensorflow as tf

tf.set_random_seed(6)
x = tf.placeholder(tf.float32, [3, 2])
w = tf.Variable(tf.random_normal([2]))
global_step = tf.Variable(0, name='global_step', trainable=False)
loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
init_op = tf.global_variables_initializer()
sv = tf.train.Supervisor(is_chief=True, logdir=sys.argv[1], init_op=init_op, recovery_wait_secs=1,
                         global_step=global_step, summary_op=None, save_model_secs=0)
sess = sv.prepare_or_wait_for_session('')
rng = np.random.RandomState(0)
step = 0
while not sv.should_stop() and step < 5:
    _, value = sess.run([train, loss], {x: rng.randn(3, 2)})
    step = sess.run(global_step)
    print(step, '%.9g' % value)
print(sess.run(w).tolist(), sv.is_chief, sv.should_stop())
sv.stop()
print(sv.should_stop())
