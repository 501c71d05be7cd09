"""Synchronous workers by accumulators and a queue of tokens: by_hand.py, and flags of a task."""

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
    weights = tf.get_variable("weights", [4, 3], initializer=tf.constant_initializer(0.1))
    bias = tf.get_variable("bias", [3], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(images, weights) + bias) - 1.0))
    step = tf.train.get_or_create_global_step()
optimizer = tf.train.MomentumOptimizer(0.3, 0.9)
added, means = [], []
for gradient, variable in optimizer.compute_gradients(loss, [weights, bias]):
    with tf.device(variable.device):
        shared = tf.ConditionalAccumulator(tf.float32, variable.shape, shared_name=variable.op.name + "_sum")
        added.append(shared.apply_grad(gradient, local_step=2**40))
        means.append((shared.take_grad(workers), variable))
with tf.device("/job:ps/task:0"):
    tokens = tf.FIFOQueue(-1, [tf.int64], shapes=[()], shared_name="tokens")
    with tf.control_dependencies([optimizer.apply_gradients(means, step)]):
        update = tokens.enqueue_many([tf.fill([workers], tf.constant(1, tf.int64))])
    token = tokens.dequeue()
chief = given.task_index == 0
numbers = np.random.RandomState(given.task_index)
supervisor = tf.train.Supervisor(is_chief=chief, logdir=None, recovery_wait_secs=1)
session = supervisor.prepare_or_wait_for_session(server.target)
for _ in range(5):
    session.run([loss, added], {images: numbers.rand(8, 4)})
    if chief:
        session.run(update)
    session.run(token)
