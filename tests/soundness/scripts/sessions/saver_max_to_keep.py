# max_to_keep, last_checkpoints, the checkpoint file, keep names, restoring an older one in a second session.
import glob
import os
import sys

import tensorflow as tf

folder = sys.argv[1]
v = tf.Variable(1.0, name='v')
step = tf.train.get_or_create_global_step()
train = tf.train.GradientDescentOptimizer(0.1).minimize(v * v, global_step=step)
saver = tf.train.Saver(max_to_keep=2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(5):
        sess.run(train)
        saver.save(sess, folder + '/m', global_step=step)
        print([os.path.basename(p) for p in saver.last_checkpoints], sess.run(v))
    print(sorted(os.path.basename(p) for p in glob.glob(folder + '/m-*.index')))
state = tf.train.get_checkpoint_state(folder)
print([os.path.basename(p) for p in state.all_model_checkpoint_paths], os.path.basename(state.model_checkpoint_path))
with tf.Session() as again:
    saver.restore(again, folder + '/m-4')
    print(again.run([v, step]))
    saver.restore(again, tf.train.latest_checkpoint(folder))
    print(again.run([v, step]))
    again.run(train)
    print(again.run([v, step]), tf.train.checkpoint_exists(folder + '/m-1'))
