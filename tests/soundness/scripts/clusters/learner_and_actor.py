# Two jobs of other names, each a server and a client; the actor's trajectories go to the learner by a queue there.
# tasks: 1 ps, 2 worker
import sys
import time

import tensorflow as tf

job, task = sys.argv[2], int(sys.argv[3])
learner, actor = sys.argv[5].split(",")
if job == "ps":
    sys.exit(0)
name = "learner" if task == 0 else "actor"
cluster = tf.train.ClusterSpec({"actor": [actor], "learner": [learner]})
server = tf.train.Server(cluster, job_name=name, task_index=0)
with tf.device("/job:learner/task:0"):
    weights = tf.get_variable(
        "weights", [2], initializer=tf.constant_initializer([1.0, 2.0])
    )
    queue = tf.FIFOQueue(1, [tf.float32], shapes=[[2]], shared_name="buffer")
    over = tf.FIFOQueue(1, [tf.int32], shared_name="over")
    missing = tf.report_uninitialized_variables([weights])
with tf.device("/job:%s/task:0" % name):
    if name == "actor":
        put = queue.enqueue(tf.constant([0.5, 1.0]))
    else:
        numbers = tf.data.Dataset.range(1, 9).make_one_shot_iterator().get_next()
        got = queue.dequeue() * tf.cast(numbers, tf.float32)
        loss = tf.reduce_sum(tf.square(weights * got))
        train = tf.train.MomentumOptimizer(0.001, 0.9).minimize(loss)
with tf.Session(server.target) as sess:
    if name == "learner":
        sess.run(tf.global_variables_initializer())
        for _ in range(5):
            print(sess.run([loss, train])[0])
        sess.run(over.enqueue(5))
        time.sleep(1)
    else:
        while len(sess.run(missing)):
            time.sleep(0.05)
        for _ in range(5):
            sess.run(put)
        print("over", sess.run(over.dequeue()))
