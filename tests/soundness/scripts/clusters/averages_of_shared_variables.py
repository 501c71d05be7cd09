# Moving averages, a schedule and clipped gradients on the parameter server; saved under the averages' names.
# tasks: 1 ps, 1 worker
import os
import sys

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:0')):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.get_variable('w', [2, 2], initializer=tf.orthogonal_initializer(seed=6),
                        regularizer=lambda v: 0.01 * tf.nn.l2_loss(v))
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.)) + tf.losses.get_regularization_loss()
    rate = tf.train.polynomial_decay(0.5, step, 6, 0.1, power=2.0)
    opt = tf.train.GradientDescentOptimizer(rate)
    pairs = opt.compute_gradients(loss)
    clipped, norm = tf.clip_by_global_norm([g for g, _ in pairs], 0.7)
    apply_op = opt.apply_gradients(zip(clipped, [v for _, v in pairs]), global_step=step)
    ema = tf.train.ExponentialMovingAverage(0.9, step)
    keep = ema.apply(tf.trainable_variables())
    saver = tf.train.Saver(ema.variables_to_restore())
rng = np.random.RandomState(2)
with tf.Session(server.target, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        feed = {x: rng.randn(3, 2)}
        print(['%.9g' % v for v in sess.run([loss, norm, rate], feed)])
        sess.run(apply_op, feed)
        sess.run(keep)
        print(sess.run(ema.average(w)).tolist())
    path = saver.save(sess, os.path.join(folder, 'averages'))
    print(tf.train.list_variables(path), ema.average(w).device)
    saver.restore(sess, path)
    print(sess.run(w).tolist())
