# A device setter that is told no worker: what it does not give to the parameter servers is on '/job:worker', which a
# master is not of, and the worker runs its own part.
# tasks: 1 ps, 2 worker
import sys

import numpy as np
import tensorflow as tf

job, task = sys.argv[2], int(sys.argv[3])
master, worker = sys.argv[5].split(",")
spec = {"ps": sys.argv[4].split(","), "master": [master], "worker": [worker]}
cluster = tf.train.ClusterSpec(spec)
name = job if job == "ps" else ["master", "worker"][task]
server = tf.train.Server(cluster, job_name=name, task_index=0)
if name == "ps":
    server.join()

with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    weights = tf.get_variable("weights", [3], initializer=tf.ones_initializer())
    words = tf.data.Dataset.from_tensor_slices(["b", "c", "a", "c", "b"]).repeat(2)
    words = words.map(lambda word: tf.strings.join([word, "!"]))
    word = words.make_one_shot_iterator().get_next()
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(
            ["a!", "b!", "c!"], tf.constant([0, 1, 2], tf.int64)
        ),
        -1,
    )
    x = tf.random_uniform([3], seed=5) * tf.one_hot(table.lookup(word), 3)
    loss = tf.reduce_sum(tf.square(weights * x + 1.0))
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    missing = tf.report_uninitialized_variables()
with tf.device("/job:ps/task:0"):
    turns = tf.FIFOQueue(1, tf.float32, shared_name="turns")
    over = tf.FIFOQueue(1, tf.float32, shared_name="over")
with tf.Session(server.target) as sess:
    if name == "master":
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    else:
        while len(sess.run(missing)):
            pass
        sess.run(tf.tables_initializer())
        sess.run(turns.dequeue())
    for step in range(6):
        print(name, step, sess.run([train, word, loss])[1:])
    print(np.round(sess.run(weights), 6))
    if name == "master":
        sess.run(turns.enqueue(0.0))
        sess.run(over.dequeue())
    else:
        sess.run(over.enqueue(0.0))
