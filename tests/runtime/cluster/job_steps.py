"""A migrated script in small: job_name task_index synchronous ps-hosts worker-hosts steps."""

import sys
import time

import numpy as np
import tensorflow as tf

from tf2towers.runtime import VariableStore
from tf2towers.runtime.averaging import average_gradients, minimize
from tf2towers.runtime.cluster import ClusterTask, synchronous_replicas

job, index, synchronous, ps, workers, steps = sys.argv[1:7]
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
    opt = (
        tf.compat.v1.train.AdamOptimizer(0.1)
        if steps.startswith("adam")
        else tf.compat.v1.train.GradientDescentOptimizer(0.1)
    )
    if synchronous == "1":
        opt = synchronous_replicas(opt, replicas_to_aggregate=2, total_num_replicas=2)

    @server.step(variables, input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None, 1])])
    def train_step(x, y):
        b = tf.compat.v1.get_variable("b", [1], initializer=tf.compat.v1.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        op = minimize(opt, loss, global_step=global_step)
        return loss, global_step.read_value(), op

    @server.step(variables, input_signature=[tf.TensorSpec([None])], update=False)
    def mean(x):
        return average_gradients([(tf.identity(x), w)])[0][0]

    @server.step(variables, update=False)
    def evaluate():
        return {"w": w, "none": None, "b": variables["b"]}


def train(task_index):
    random = np.random.RandomState(task_index)
    given = random.randn(1000).astype(np.float32)
    print(f"worker {task_index} mean {mean(given).numpy().tobytes().hex()}", flush=True)
    for _ in range(int(steps.removeprefix("adam"))):
        x = random.rand(4, 2)
        loss, step, _ = train_step(x, 3 * x.sum(1, keepdims=True))
        print(f"worker {task_index} step {step.numpy()} loss {loss.numpy():.9g}", flush=True)
        if len(sys.argv) > 7:
            time.sleep(float(sys.argv[7]))


server.run_workers(train)
print(
    "final", {k: None if v is None else v.numpy().ravel().tolist() for k, v in evaluate().items()}, flush=True
)
