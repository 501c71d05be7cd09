"""A task of a cluster with one parameter server, trained by a MonitoredTrainingSession with a StopAtStepHook.

job_train.py JOB INDEX PS WORKERS STEPS FOLDER [SECONDS A STEP TAKES]
"""

import sys
import time

import numpy as np
import tensorflow.compat.v1 as tf

from tf2towers.runtime import MonitoredTrainingSession, Server, SessionManager, graph_mode

graph_mode()
JOB, INDEX, STEPS, FOLDER = sys.argv[1], int(sys.argv[2]), int(sys.argv[5]), sys.argv[6]
PS, WORKERS = (hosts.split(",") for hosts in sys.argv[3:5])
PAUSE = float(sys.argv[7]) if len(sys.argv) > 7 else 0.0
CLUSTER = tf.train.ClusterSpec({"ps": PS, "worker": WORKERS})
server = Server(CLUSTER, job_name=JOB, task_index=INDEX)
if JOB == "ps":
    server.join()


def say(*words):
    print(">", *words, flush=True)


with tf.device(tf.train.replica_device_setter(worker_device=f"/job:worker/task:{INDEX}", cluster=CLUSTER)):
    global_step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 20])
    y = tf.placeholder(tf.float32, [None, 3])
    first = tf.get_variable("first", [20, 8], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=3))
    second = tf.get_variable(
        "second", [8, 3], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=4)
    )
    loss = tf.losses.mean_squared_error(y, tf.matmul(tf.nn.relu(tf.matmul(x, first)), second))
    train = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=global_step)
    config = tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{INDEX}"])
    if INDEX:  # a MonitoredTrainingSession looks every 30 seconds
        missing = tf.report_uninitialized_variables(tf.global_variables())
        SessionManager(ready_op=missing, recovery_wait_secs=0.5).wait_for_session(
            server.target, config=config
        ).close()

rng = np.random.RandomState(INDEX)
with MonitoredTrainingSession(
    master=server.target,
    is_chief=INDEX == 0,
    checkpoint_dir=FOLDER,
    hooks=[tf.train.StopAtStepHook(last_step=STEPS)],
    config=config,
    save_checkpoint_steps=5,
    save_checkpoint_secs=None,
    save_summaries_steps=None,
    save_summaries_secs=None,
    stop_grace_period_secs=1,
) as session:
    say("begins at", session.run(global_step))
    while not session.should_stop():
        feeds = {x: rng.rand(10, 20), y: rng.rand(10, 3)}
        _, value, step = session.run([train, loss, global_step], feeds)
        say(step, float(value).hex())
        time.sleep(PAUSE)
say("ends")
