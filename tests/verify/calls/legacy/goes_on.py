"""A cluster that goes on from its last checkpoint up to a step: goes_on.py FOLDER LAST, flags of a task."""

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("last", type=int)
for name in ("ps_hosts", "worker_hosts", "job_name"):
    parser.add_argument("--" + name)
parser.add_argument("--task_index", type=int)
given = parser.parse_args()

cluster = tf.train.ClusterSpec({"ps": given.ps_hosts.split(","), "worker": given.worker_hosts.split(",")})
server = tf.train.Server(cluster, job_name=given.job_name, task_index=given.task_index)
if given.job_name == "ps":
    server.join()
device = "/job:worker/task:%d" % given.task_index
with tf.device(tf.train.replica_device_setter(worker_device=device, cluster=cluster)):
    images = tf.placeholder(tf.float32, [None, 4])
    weights = tf.get_variable("weights", [4, 1], initializer=tf.constant_initializer(0.1))
    loss = tf.reduce_mean(tf.square(tf.matmul(images, weights) - 1.0))
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
numbers = np.random.RandomState(given.task_index)
with tf.train.MonitoredTrainingSession(
    master=server.target, is_chief=given.task_index == 0, checkpoint_dir=given.folder,
    hooks=[tf.train.StopAtStepHook(last_step=given.last)], save_checkpoint_secs=None, save_checkpoint_steps=4,
    save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=None,
) as session:
    while not session.should_stop():
        session.run([train, step, loss], {images: numbers.rand(8, 4)})
