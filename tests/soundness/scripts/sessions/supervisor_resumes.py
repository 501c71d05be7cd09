# managed_session twice over one folder: the second goes on where the first was saved; init_fn only the first time.
import os
import sys

import tensorflow as tf


def run(steps):
    with tf.Graph().as_default():
        v = tf.get_variable('v', initializer=tf.constant([3.0, -1.0]))
        gs = tf.train.get_or_create_global_step()
        loss = tf.reduce_sum(v ** 2)
        train = tf.train.AdamOptimizer(0.2).minimize(loss, gs)

        start = v.assign([2.0, 2.0])

        def init_fn(sess):
            print('init_fn')
            sess.run(start)

        sv = tf.train.Supervisor(logdir=sys.argv[1], init_fn=init_fn, summary_op=None, save_model_secs=0)
        with sv.managed_session() as sess:
            for _ in range(steps):
                if sv.should_stop():
                    break
                print(sess.run(loss), end=' ')
                sess.run(train)
                print(sess.run(gs))
            sv.saver.save(sess, os.path.join(sys.argv[1], 'model.ckpt'), global_step=gs)
            print(sess.run(v).tolist())


run(3)
run(3)
print(os.path.basename(tf.train.latest_checkpoint(sys.argv[1])))
