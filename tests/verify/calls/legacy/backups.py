"""Synchronous workers of which one is a backup, with batch norm: backups.py, and flags of a task."""

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
for name in ("ps_hosts", "worker_hosts", "job_name"):
    parser.add_argument("--" + name)
parser.add_argument("--task_index", type=int)
given = parser.parse_args()

cluster = tf.train.ClusterSpec({"ps": given.ps_hosts.split(","), "worker": given.worker_hosts.split(",")})
server = tf.train.Server(cluster, job_name=given.job_name, task_index=given.task_index)
if given.job_name == "ps":
    server.join()
device = "/job:worker/task:%d" % given.task_index
workers = len(given.worker_hosts.split(","))
with tf.device(tf.train.replica_device_setter(worker_device=device, cluster=cluster)):
    images = tf.placeholder(tf.float32, [None, 9])
    step = tf.train.get_or_create_global_step()
    hidden = tf.layers.batch_normalization(tf.layers.dense(images, 32), training=True)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(tf.nn.relu(hidden), 1) - 1.0))
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.MomentumOptimizer(0.05, 0.9), replicas_to_aggregate=2, total_num_replicas=workers
    )
    train = tf.group(optimizer.minimize(loss, step), *tf.get_collection(tf.GraphKeys.UPDATE_OPS))
chief = given.task_index == 0
numbers = np.random.RandomState(given.task_index)
with tf.train.MonitoredTrainingSession(
    server.target, chief, hooks=[optimizer.make_session_run_hook(chief)], log_step_count_steps=None
) as session:
    for _ in range(9):
        session.run([train, step, loss], {images: numbers.rand(64, 9)})
