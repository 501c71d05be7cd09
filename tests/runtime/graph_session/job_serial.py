"""A task of a cluster with 2 parameter servers and 2 workers, who take turns: TF1's idioms about what is shared.

job_serial.py JOB INDEX KIND PS WORKERS; KIND: 'original' has TF1's sessions, 'functions' the runtime's.
"""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

JOB, INDEX, KIND = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if KIND == "original":
    tf.disable_eager_execution()
    tf.disable_v2_tensorshape()
    tf.disable_tensor_equality()
    from tensorflow.compat.v1 import Session
    from tensorflow.compat.v1.train import Server
else:
    from tf2towers.runtime import Server, Session, graph_mode

    graph_mode(resource_variables=True)  # as the original has them
STEPS = 4


def say(*words):
    print(">", *words, flush=True)


CLUSTER = tf.train.ClusterSpec({"ps": sys.argv[4].split(","), "worker": sys.argv[5].split(",")})
server = Server(CLUSTER, job_name=JOB, task_index=INDEX)


def done_queues():
    queues = []
    for k in range(2):
        with tf.device(f"/job:ps/task:{k}"):
            queues.append(tf.FIFOQueue(2, tf.int32, [[]], shared_name=f"done_{k}"))
    return queues


if JOB == "ps" and INDEX == 0:
    server.join()
if JOB == "ps":
    queue = done_queues()[INDEX]
    with Session(server.target, config=tf.ConfigProto(device_filters=["/job:ps"])) as sess:
        say("done", sorted(int(sess.run(queue.dequeue())) for _ in range(2)))
    sys.exit(0)

strategy = tf.train.replica_device_setter(
    worker_device=f"/job:worker/task:{INDEX}",
    cluster=CLUSTER,
)
with tf.device(strategy):
    global_step = tf.train.get_or_create_global_step()
    with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(2)):
        weights = tf.get_variable("weights", [6, 4], initializer=tf.truncated_normal_initializer(seed=1))
    bias = tf.get_variable("bias", [4], initializer=tf.zeros_initializer())
    table = tf.get_variable("table", [10, 6], initializer=tf.random_uniform_initializer(seed=2))
    own = tf.get_local_variable("own", [], initializer=tf.zeros_initializer())
    with tf.device(f"/job:worker/task:{INDEX}"):
        mine = tf.get_variable(
            "mine", [], initializer=tf.ones_initializer(), collections=[tf.GraphKeys.LOCAL_VARIABLES]
        )
    ids = tf.placeholder(tf.int32, [None])
    target = tf.placeholder(tf.float32, [None, 4])
    hidden = tf.nn.embedding_lookup(table, ids)
    logits = tf.matmul(hidden, tf.convert_to_tensor(weights)) + bias
    loss = tf.reduce_mean(tf.square(logits - target))
    rate = tf.train.exponential_decay(0.1, global_step, 2, 0.5, staircase=True)
    optimizer = tf.train.MomentumOptimizer(rate, 0.9)
    train = optimizer.minimize(loss, global_step=global_step)
    average = tf.train.ExponentialMovingAverage(0.9)
    with tf.control_dependencies([train]):
        train = average.apply([bias])
    count = tf.assign_add(mine, 1.0)
    guarded = tf.cond(global_step < 3, lambda: bias + 1.0, lambda: bias - 1.0)
    with tf.device("/job:ps/task:1"):
        turns = [tf.FIFOQueue(4, tf.int32, [[]], name=f"turn_{k}", shared_name=f"turn_{k}") for k in range(2)]
    my_turn = turns[INDEX].dequeue()
    pass_on = turns[1 - INDEX].enqueue(1)
    first = turns[INDEX].enqueue(1)
    size = turns[INDEX].size()
    end = [queue.enqueue(INDEX) for queue in done_queues()]
    saver = tf.train.Saver(sharded=True)
    missing = tf.report_uninitialized_variables(tf.global_variables())
    begin = tf.global_variables_initializer()
    local = tf.local_variables_initializer()

rng = np.random.RandomState(INDEX)
with Session(
    server.target, config=tf.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{INDEX}"])
) as sess:
    sess.run(local)
    if INDEX == 0:
        say("missing", sorted(sess.run(missing)))
        sess.run(begin)
        sess.run(first)
    for step in range(STEPS):
        sess.run(my_turn)
        feeds = {ids: rng.randint(0, 10, 5), target: rng.rand(5, 4)}
        _, value, now, counted = sess.run([train, loss, global_step, count], feeds)
        say(
            step,
            float(value).hex(),
            sess.run(global_step),
            counted,
            sess.run(size),
            sess.run(guarded).tolist(),
        )
        if step + 1 < STEPS:
            sess.run(pass_on)
    for name in (
        "net/weights/part_0:0",
        "net/weights/part_1:0",
        "bias:0",
        "table:0",
        "bias/ExponentialMovingAverage:0",
    ):
        variable = next(variable for variable in tf.global_variables() if variable.name == name)
        say(name, sess.run(variable).astype("f8").sum().hex())
    if INDEX == 0:
        sess.run(pass_on)
    sess.run(end)
say("end")
