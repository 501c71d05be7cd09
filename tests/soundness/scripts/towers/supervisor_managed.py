# Towers under a Supervisor: managed_session, its saver and its summary writer off.
import sys

import numpy as np
import tensorflow as tf

with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [6])
    step = tf.Variable(0, name='global_step', trainable=False)
    opt = tf.train.GradientDescentOptimizer(0.4)
    grads = []
    for i in range(2):
        with tf.device('/gpu:%d' % i), tf.variable_scope('u', reuse=i > 0):
            c = tf.get_variable('c', [], initializer=tf.constant_initializer(3.0))
            loss = tf.reduce_mean((x[i * 3:i * 3 + 3] - c) ** 2, name='loss')
            grads.append(opt.compute_gradients(loss))
    train = opt.apply_gradients(
        [(tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]) for p in zip(*grads)], global_step=step)
    sv = tf.train.Supervisor(logdir=sys.argv[1], global_step=step, summary_op=None, save_model_secs=0)
    with sv.managed_session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
        rng = np.random.RandomState(2)
        while not sv.should_stop():
            l, _ = sess.run([loss, train], {x: rng.rand(6)})
            n = sess.run(step)
            print(n, '%.9g' % l, sess.run(c))
            if n >= 5:
                sv.saver.save(sess, sv.save_path, global_step=n)
                sv.request_stop()
    print(tf.train.latest_checkpoint(sys.argv[1]).split('-')[-1])
    reader = tf.train.load_checkpoint(sys.argv[1])
    print(sorted(reader.get_variable_to_shape_map()), reader.get_tensor('u/c'))
