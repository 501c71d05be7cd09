# SyncReplicasOptimizer and a Supervisor; the mean of two workers' gradients.
# tasks: 1 ps, 2 worker
import sys
import time

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
cluster = tf.train.ClusterSpec({'ps': sys.argv[4].split(','), 'worker': sys.argv[5].split(',')})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == 'ps':
    server.join()
    sys.exit(0)

chief = task == 0
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:%d' % task)):
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable('w', [3, 2], initializer=tf.random_uniform_initializer(-1, 1, seed=5))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    step = tf.train.get_or_create_global_step()
    opt = tf.train.SyncReplicasOptimizer(tf.train.AdagradOptimizer(0.3), replicas_to_aggregate=2, total_num_replicas=2)
    train = opt.minimize(loss, global_step=step)
    runner = opt.get_chief_queue_runner()
    tokens = opt.get_init_tokens_op(0)
    last_tokens = opt.get_init_tokens_op(4)
    done = tf.FIFOQueue(2, tf.int32, shapes=[[]], shared_name='done')
    enter, leave = done.enqueue(task), done.dequeue_many(2)
    local_init = opt.chief_init_op if chief else opt.local_step_init_op

sv = tf.train.Supervisor(is_chief=chief, logdir=folder, init_op=tf.global_variables_initializer(), local_init_op=local_init,
                         ready_for_local_init_op=opt.ready_for_local_init_op, global_step=step, recovery_wait_secs=1,
                         save_model_secs=0, save_summaries_secs=0)
sess = sv.prepare_or_wait_for_session(server.target)
if chief:
    sv.start_queue_runners(sess, [runner])
    sess.run(tokens)
rng = np.random.RandomState(task)
for turn in range(5):
    value, _ = sess.run([loss, train], {x: rng.randn(4, 3)})
    print(turn, '%.9g' % value)
    while sess.run(step) <= turn:
        time.sleep(0.01)
    print(sess.run(w).tolist(), sess.run(step))
