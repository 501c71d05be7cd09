# SessionManager used by hand: prepare_session with an init_op, recover_session from a checkpoint, wait is not needed.
import os
import sys

import tensorflow as tf

v = tf.Variable(3.0, name='v')
w = tf.Variable(v.initialized_value() + 1.0, name='w')
up = tf.group(v.assign_add(1.0), w.assign_sub(0.5))
init = tf.global_variables_initializer()
saver = tf.train.Saver()
manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
sess = manager.prepare_session('', init_op=init, saver=saver, checkpoint_dir=sys.argv[1])
for _ in range(3):
    sess.run(up)
print(sess.run([v, w]))
saver.save(sess, os.path.join(sys.argv[1], 'm'), global_step=3)
sess.close()
sess, restored = manager.recover_session('', saver=saver, checkpoint_dir=sys.argv[1])
print(restored, sess.run([v, w]))
sess.close()
sess = manager.prepare_session('', init_op=init, saver=saver, checkpoint_dir=sys.argv[1], init_feed_dict=None)
sess.run(up)
print(sess.run([v, w]))
sess.close()
try:
    manager.prepare_session('', init_op=None)
except RuntimeError as e:
    print('RuntimeError')
with tf.Session() as plain:
    print([n.decode() for n in plain.run(tf.report_uninitialized_variables())])
