"""Synchronous workers that average and read variables after their token: averaged.py, and flags of a task."""

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
    images = tf.placeholder(tf.float32, [None, 4])
    weights = tf.get_variable("weights", [4, 1], initializer=tf.constant_initializer(0.1))
    loss = tf.reduce_mean(tf.square(tf.matmul(images, weights) - 1.0))
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.AdamOptimizer(0.05), replicas_to_aggregate=workers, total_num_replicas=workers
    )
    train = optimizer.minimize(loss, global_step=step)
    with tf.control_dependencies([train]):
        average = tf.train.ExponentialMovingAverage(0.9, step).apply([weights])
        after = tf.reduce_sum(weights.read_value())
chief = given.task_index == 0
numbers = np.random.RandomState(given.task_index)
with tf.train.MonitoredTrainingSession(
    server.target, chief, hooks=[optimizer.make_session_run_hook(chief)], log_step_count_steps=None
) as session:
    for _ in range(4):
        session.run([average, step, loss, after], {images: numbers.rand(8, 4)})
