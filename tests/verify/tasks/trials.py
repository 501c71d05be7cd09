"""Two trials, each in a process of its own: forked by `multiprocessing` with `sys.argv[1]`, by `os.fork` without."""

import multiprocessing
import os
import sys

import numpy as np
import tensorflow as tf


def trial(number):
    tf.set_random_seed(number)
    x = tf.placeholder(tf.float32, [None, 4])
    w = tf.get_variable("w", [4, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1))
    train_op = tf.train.GradientDescentOptimizer(0.1 * number).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            value = session.run([train_op, loss], {x: np.random.RandomState(number).rand(8, 4)})[1]
    print(f"trial {number}: {value:.5f}")
    return value


def in_pool(number):
    return number * 2


if __name__ == "__main__":
    assert multiprocessing.Pool(2).map(in_pool, [1, 2]) == [2, 4]  # no task: it runs no session
    if len(sys.argv) > 1:
        processes = [multiprocessing.Process(target=trial, args=(number,)) for number in (1, 2)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
            assert process.exitcode == 0
    else:
        for number in (1, 2):
            child = os.fork()
            if child == 0:
                trial(number)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
