# Embeddings on two parameter servers by hand, sparse updates with momentum, gathers, scatter updates.
# tasks: 2 ps, 1 worker
import sys

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

parts = []
for n in range(2):
    with tf.device('/job:ps/task:%d' % n):
        parts.append(tf.get_variable('part%d' % n, [4, 2], initializer=tf.random_uniform_initializer(-1, 1, seed=n)))
with tf.device('/job:worker/task:0'):
    ids = tf.placeholder(tf.int64, [None])
    rows = tf.nn.embedding_lookup(parts, ids)
    loss = tf.reduce_sum(tf.square(rows - 0.25))
    train = tf.train.MomentumOptimizer(0.1, 0.5).minimize(loss)
    lazy = tf.train.AdamOptimizer(0.05).minimize(loss)
with tf.device('/job:ps/task:1'):
    reset = tf.scatter_update(parts[1], [0, 2], [[9., 9.], [8., 8.]])
rng = np.random.RandomState(6)
with tf.Session(server.target) as sess:
    sess.run(tf.global_variables_initializer())
    for op in (train, lazy, train):
        feed = {ids: rng.randint(8, size=5)}
        print('%.9g' % sess.run(loss, feed))
        sess.run(op, feed)
        print([p.tolist() for p in sess.run(parts)])
    sess.run(reset)
    print(sess.run(rows, {ids: [1, 5, 1]}).tolist())
