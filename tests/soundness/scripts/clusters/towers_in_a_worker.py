# A worker with two towers: variables on the parameter server, a mean over the towers that no collective can take;
# one variable is placed on a GPU of the parameter server, which has none.
# tasks: 1 ps, 1 worker
import sys

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

x = tf.placeholder(tf.float32, [4, 3])
with tf.device('/job:ps/task:0/gpu:0'):
    scale = tf.get_variable('scale', [], initializer=tf.ones_initializer())
    step = tf.train.get_or_create_global_step()
opt = tf.train.MomentumOptimizer(0.1, 0.9)
tower_grads, losses = [], []
for i in range(2):
    place = tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d/gpu:%d' % (task, i))
    with tf.device(place), tf.variable_scope('net', reuse=i > 0, regularizer=lambda v: 0.01 * tf.nn.l2_loss(v)):
        w = tf.get_variable('w', [3, 2], initializer=tf.constant_initializer([[.1, .2], [.3, -.4], [.5, .6]]))
        h = tf.matmul(x[2 * i:2 * i + 2], w) * scale
        loss = tf.reduce_mean(tf.square(h - 1.0))
        losses.append(loss)
        tower_grads.append(opt.compute_gradients(loss))
grads = []
for pairs in zip(*tower_grads):
    stacked = tf.concat([tf.expand_dims(g, 0) for g, _ in pairs], 0)
    grads.append((tf.reduce_mean(stacked, 0), pairs[0][1]))
train = opt.apply_gradients(grads, step)
regular = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
average = tf.train.ExponentialMovingAverage(0.5)
with tf.control_dependencies([train]):
    follow = average.apply(losses)
rng = np.random.RandomState(1)
config = tf.ConfigProto(allow_soft_placement=True)
with tf.Session(server.target, config=config) as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        data = rng.rand(4, 3).astype(np.float32)
        print(' '.join('%.9g' % value for value in sess.run(losses + regular, {x: data})))
        sess.run(follow, {x: data})
        print(' '.join('%.9g' % value for value in sess.run(w).ravel()), '%.9g' % sess.run(scale), sess.run(step))
    print(['%.5g' % value for value in sess.run([average.average(loss) for loss in losses])])
