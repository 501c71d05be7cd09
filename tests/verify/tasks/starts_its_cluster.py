"""Starts a parameter server and two asynchronous workers by itself, and takes no flags of a task.

`python starts_its_cluster.py fork` forks them, `threads` makes all servers in one process, with a thread for each
worker, `mixed` forks the server, spawns worker 0, and starts worker 1 as a program of this file.
"""

import multiprocessing
import socket
import subprocess
import sys
import threading

import numpy as np
import tensorflow as tf

RATE = 0.1


def free_address():
    probe = socket.socket()
    probe.bind(("localhost", 0))
    address = f"localhost:{probe.getsockname()[1]}"
    probe.close()
    return address


def serve(cluster):
    tf.train.Server(cluster, job_name="ps", task_index=0).join()


def work(cluster, index, losses=None, server=None):
    server = server or tf.train.Server(cluster, job_name="worker", task_index=index)
    setter = tf.train.replica_device_setter(
        worker_device=f"/job:worker/task:{index}", cluster=tf.train.ClusterSpec(cluster)
    )
    graph = tf.Graph()
    with graph.as_default(), tf.device(setter):
        x = tf.placeholder(tf.float32, [None, 4])
        w = tf.get_variable("w", [4, 1], initializer=tf.truncated_normal_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - tf.reduce_sum(x, 1, keepdims=True)))
        step = tf.train.get_or_create_global_step()
        train_op = tf.train.GradientDescentOptimizer(RATE).minimize(loss, global_step=step)
        generator = np.random.RandomState(index)
        with tf.train.MonitoredTrainingSession(master=server.target, is_chief=index == 0) as session:
            for _ in range(4):
                _, value = session.run([train_op, loss], {x: generator.rand(8, 4)})
    if losses is not None:
        losses.put((index, float(value)))


def main():
    if sys.argv[1] == "task":
        work({"ps": [sys.argv[2]], "worker": sys.argv[3:]}, 1)
        return
    cluster = {"ps": [free_address()], "worker": [free_address(), free_address()]}
    losses = multiprocessing.Queue()
    if sys.argv[1] == "threads":
        ps = tf.train.Server(cluster, job_name="ps", task_index=0)
        servers = [tf.train.Server(cluster, job_name="worker", task_index=index) for index in range(2)]
        threads = [threading.Thread(target=work, args=(cluster, i, None, servers[i])) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(ps.target)
        return
    ps = multiprocessing.Process(target=serve, args=(cluster,))
    ps.start()
    if sys.argv[1] == "mixed":
        spawned = multiprocessing.get_context("spawn").Process(target=work, args=(cluster, 0))
        spawned.start()
        program = subprocess.Popen([sys.executable, __file__, "task"] + cluster["ps"] + cluster["worker"])
        assert program.wait() == 0
        spawned.join()
    else:
        workers = [multiprocessing.Process(target=work, args=(cluster, i, losses)) for i in range(2)]
        for worker in workers:
            worker.start()
        print(sorted(losses.get() for _ in workers))
        for worker in workers:
            worker.join()
    ps.terminate()


if __name__ == "__main__":
    main()
