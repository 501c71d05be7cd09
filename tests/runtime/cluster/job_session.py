"""A migrated script with a session: job index synchronous ps workers kind logdir last_step [pause]."""

import sys
import time

import numpy as np
import tensorflow as tf

from tf2towers.runtime import VariableStore
from tf2towers.runtime.averaging import minimize
from tf2towers.runtime.cluster import (
    ClusterTask,
    MonitoredTraining,
    StopAtStepHook,
    SupervisedTraining,
    synchronous_replicas,
)

job, index, synchronous, ps, workers, kind, logdir, last_step = sys.argv[1:9]
pause = float(sys.argv[9]) if len(sys.argv) > 9 else 0.0
v1 = tf.compat.v1
cluster = tf.train.ClusterSpec({"ps": ps.split(","), "worker": workers.split(",")})
server = ClusterTask(cluster, job_name=job, task_index=int(index), synchronous=synchronous == "1")
if job == "ps":
    server.join()
strategy = (
    tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=server.resolver())
    if server.synchronous
    else tf.distribute.ParameterServerStrategy(server.resolver())
)
variables = VariableStore(strategy)
with strategy.scope(), variables.scope():
    global_step = tf.Variable(0, name="global_step", trainable=False)
    w = tf.Variable(tf.ones([2, 1]), name="w")
    opt = v1.train.AdamOptimizer(0.1)
    if synchronous == "1":
        opt = synchronous_replicas(opt, replicas_to_aggregate=2, total_num_replicas=2)

    @server.step(variables, input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 1])])
    def train_step(x, y):
        b = v1.get_variable("b", [1], initializer=v1.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        v1.summary.scalar("loss", loss)
        train_op = minimize(opt, loss, global_step=global_step)
        return train_op, loss, global_step.read_value()


def loop(task_index, session):
    random = np.random.RandomState(task_index)
    while not session.should_stop():
        x = random.rand(4, 2)
        _, loss, step = train_step(x, 3 * x.sum(1, keepdims=True))
        print(f"worker {task_index} step {step.numpy()} loss {loss.numpy():.9g}", flush=True)
        if kind == "supervisor" and step.numpy() >= int(last_step):
            break
        time.sleep(pause)


def train(task_index):
    chief = task_index == 0
    if kind == "supervisor":
        sv = SupervisedTraining(
            variables,
            is_chief=chief,
            logdir=logdir,
            global_step=global_step,
            save_model_secs=1,
            recovery_wait_secs=1,
        )
        with sv.managed():
            print(f"worker {task_index} starts at {sv.global_step}", flush=True)
            loop(task_index, sv)
    else:
        hooks = [StopAtStepHook(last_step=int(last_step))]
        with MonitoredTraining(
            variables,
            is_chief=chief,
            checkpoint_dir=logdir,
            hooks=hooks,
            save_checkpoint_steps=10,
            save_summaries_steps=5,
        ) as session:
            print(f"worker {task_index} starts at {session.global_step}", flush=True)
            loop(task_index, session)


server.run_workers(train)

newest = tf.train.latest_checkpoint(logdir)
print(
    "saved",
    newest,
    sorted(tf.train.load_checkpoint(newest).get_variable_to_shape_map()) if newest else None,
    flush=True,
)
