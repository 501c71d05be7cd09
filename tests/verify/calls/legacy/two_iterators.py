"""An asynchronous worker trains from one iterator and runs another to its end, both by their handles.

With each update it fetches the parameter server's step, and keeps its weights: nothing orders these reads.
"""

import argparse

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
for name in ("--ps_hosts", "--worker_hosts", "--job_name"):
    parser.add_argument(name)
parser.add_argument("--task_index", type=int)
FLAGS = parser.parse_args()

cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": FLAGS.worker_hosts.split(",")})
server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
if FLAGS.job_name == "ps":
    server.join()

numbers = np.random.RandomState(0).rand(40, 4).astype(np.float32)
with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=cluster)):
    training = tf.data.Dataset.from_tensor_slices(numbers).batch(4).repeat(2)
    validation = tf.data.Dataset.from_tensor_slices(numbers[:8]).batch(4).make_initializable_iterator()
    handles = [training.make_one_shot_iterator().string_handle(), validation.string_handle()]
    handle = tf.placeholder(tf.string, [])
    iterator = tf.data.Iterator.from_string_handle(handle, training.output_types, training.output_shapes)
    batch = iterator.get_next()
    weights = tf.get_variable("weights", [4, 1], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(batch, weights) - 1.0))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    with tf.device("/job:worker/task:0"):
        local = dict(collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
        kept = tf.get_variable("kept", [4, 1], initializer=tf.zeros_initializer(), **local)
    with tf.control_dependencies([train]):
        keep = tf.assign(kept, weights)

with tf.train.MonitoredTrainingSession(server.target, is_chief=True) as session:
    train_handle, valid_handle = session.run(handles)
    while not session.should_stop():
        print(session.run([train, keep, step], {handle: train_handle})[1:])
        session.run(validation.initializer)
        losses = []
        while True:
            try:
                losses.append(session.run(loss, {handle: valid_handle}))
            except tf.errors.OutOfRangeError:
                break
        print(np.mean(losses))
