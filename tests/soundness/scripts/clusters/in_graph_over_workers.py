# One worker runs the whole graph, towers on all workers; the other one waits on a queue of its own until it is over.
# tasks: 1 ps, 2 worker
import sys

import numpy as np
import tensorflow as tf

folder, job, task = sys.argv[1], sys.argv[2], int(sys.argv[3])
workers = sys.argv[5].split(",")
cluster = tf.train.ClusterSpec({"ps": sys.argv[4].split(","), "worker": workers})
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()

with tf.device("/job:worker/task:1"):
    over = tf.FIFOQueue(1, tf.float32, shared_name="over")
if task == 1:
    with tf.Session(server.target) as sess:
        print("over", sess.run(over.dequeue()))
    sys.exit(0)

with tf.device("/job:ps/task:0"):
    weights = tf.get_variable("weights", [3, 1], initializer=tf.zeros_initializer())
gradients = []
feeds = []
for index in range(len(workers)):
    with tf.device("/job:worker/task:%d" % index), tf.name_scope("worker_%d" % index):
        seen = tf.get_variable(
            "seen_%d" % index, [], initializer=tf.zeros_initializer(), trainable=False
        )
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        y = tf.placeholder(tf.float32, [None, 1], name="y")
        loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - y))
        gradient = tf.gradients(loss, weights)[0]
        with tf.control_dependencies([tf.assign_add(seen, loss)]):
            gradients.append(tf.identity(gradient))
        feeds += [x, y]
with tf.device("/job:worker/task:1"):
    mean = tf.add_n(gradients) / len(workers)
    table = tf.data.Dataset.range(20).make_one_shot_iterator().get_next()
train = tf.assign_sub(weights, 0.1 * mean)
with tf.Session("grpc://" + workers[0]) as sess:
    sess.run(tf.global_variables_initializer())
    random = np.random.RandomState(7)
    for step in range(6):
        xs = [random.rand(4, 3) for _ in workers]
        values = [part for x in xs for part in (x, x.sum(1, keepdims=True))]
        print(
            step,
            sess.run([train, table], dict(zip(feeds, values)))[0].ravel(),
            sess.run("seen_1:0"),
        )
    print(sess.run(["seen_0:0", "seen_1:0", weights]))
    sess.run(over.enqueue(tf.reduce_sum(weights)))
