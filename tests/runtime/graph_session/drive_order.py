"""Prints what runs leave in variables that several operations of the run read and write.

`python drive_order.py` runs under `graph_mode`; with a TF 1.15 the same cases run on its own session.
"""

import contextlib
import json
import sys

import numpy as np
import tensorflow as tf

IN_TF1 = tf.__version__.startswith("1.")
if IN_TF1:
    tf1, Session = tf, tf.Session
else:
    from tf2towers.runtime.graph_session.mode import graph_mode
    from tf2towers.runtime.graph_session.session import Session

    graph_mode(8)
    tf1 = tf.compat.v1

STEPS = 3


def fed(towers):
    """A tensor of each tower's own, which takes a while: its mean is the tower's number, from 1."""
    batch = tf1.placeholder(tf.float32, [towers, 32, 32], name="batch")
    values = np.stack([np.eye(32) * np.sqrt(32.0 * (1 + tower)) for tower in range(towers)])
    return batch, {batch: values.astype(np.float32)}


def mean(batch, tower):
    return tf.reduce_mean(tf.matmul(batch[tower], batch[tower]))


def each_tower(towers, build):
    """The operations of all towers, and the feeds."""
    batch, feeds = fed(towers)
    operations = []
    for tower in range(towers):
        with tf.device("/gpu:%d" % tower), tf1.name_scope("tower_%d" % tower):  # noqa: UP031 - Python 3.5
            operations.append(build(mean(batch, tower)))
    return tf.group(*operations), feeds


def variable(value=0.0, name="v"):
    return tf1.get_variable(name, initializer=tf.constant(value), trainable=False)


def moving_average(towers, decay):
    v = variable()
    return (v, *each_tower(towers, lambda m: tf1.assign_sub(v, (v - m) * decay)))


def colocated(towers, decay):
    v = variable()

    def update(m):
        with tf1.colocate_with(v):
            return tf1.assign_sub(v, (v - m) * decay)

    return (v, *each_tower(towers, update))


def assigned(towers, decay):
    v = variable()
    return (v, *each_tower(towers, lambda m: tf1.assign(v, v * (1 - decay) + m * decay)))


def read_value(towers, decay):
    v = variable()
    return (v, *each_tower(towers, lambda m: v.assign(v.read_value() * (1 - decay) + m * decay)))


def waiting(towers, decay):
    v = variable()

    def update(m):
        with tf.control_dependencies([m]):
            return tf1.assign_sub(v, (tf.identity(v) - m) * decay)

    return (v, *each_tower(towers, update))


def in_branches(towers, decay):
    v, training = variable(), tf1.placeholder_with_default(True, [])
    return (
        v,
        *each_tower(
            towers,
            lambda m: tf1.cond(training, lambda: tf1.assign(v, v * (1 - decay) + m * decay), lambda: v + 0.0),
        ),
    )


def in_inner_branches(towers, decay):
    v, training = variable(), tf1.placeholder_with_default(True, [])

    def update(m):
        def inner():
            return tf1.cond(m > 0.0, lambda: tf1.assign_sub(v, (v - m) * decay), lambda: v - 1.0)

        return tf1.cond(training, inner, lambda: v + 0.0)

    return (v, *each_tower(towers, update))


def in_a_branch_of_some(towers, decay):
    """Every second tower's branch is not taken; a plain update comes before and after it."""
    v = variable()

    def update(m):
        def average():
            return tf1.assign_sub(v, (v - m) * decay)

        first = average()
        branch = tf1.cond(tf1.floormod(m + 0.5, 2.0) < 1.0, average, lambda: tf.constant(0.0))
        return tf.group(first, branch, average())

    return (v, *each_tower(towers, update))


def scattered(towers, decay):
    v = tf1.get_variable("v", initializer=tf.zeros([3, 2]), trainable=False)
    rows = [0, 2]

    def update(m):
        return tf1.scatter_sub(v, rows, (tf.gather(v, rows) - m) * decay)

    return (v, *each_tower(towers, update))


def scatter_updated(towers, decay):
    v = tf1.get_variable("v", initializer=tf.zeros([3, 2]), trainable=False)
    return (
        v,
        *each_tower(
            towers, lambda m: tf1.scatter_update(v, [1], tf.gather(v, [1]) * (1 - decay) + m * decay)
        ),
    )


def averages(towers, decay):
    """`ExponentialMovingAverage` of one variable, applied by each tower."""
    w = variable(8.0, "w")
    average = tf1.train.ExponentialMovingAverage(1 - decay)
    average.apply([w])
    v = average.average(w)
    from tensorflow.python.training import moving_averages

    return (
        v,
        *each_tower(
            towers, lambda m: moving_averages.assign_moving_average(v, m, 1 - decay, zero_debias=False)
        ),
    )


def debiased(towers, decay):
    v = variable()
    from tensorflow.python.training import moving_averages

    def update(m):
        with tf1.variable_scope(tf1.get_variable_scope(), reuse=tf1.AUTO_REUSE):
            return moving_averages.assign_moving_average(v, m, 1 - decay, zero_debias=True)

    return (v, *each_tower(towers, update))


def own_momentum(towers, decay):
    """Two variables, the second written with what the first one's write left."""
    m1 = variable(0.0, "m1")
    v = variable()

    def update(m):
        return tf1.assign_sub(v, tf1.assign(m1, m1 * (1 - decay) + m * decay) * 0.5)

    return (v, *each_tower(towers, update))


def counted(towers, decay):
    del decay
    v = variable()
    return (v, *each_tower(towers, lambda m: tf1.assign(v, v + tf.sign(m))))


def swapped(towers, decay):
    """Each takes what the other one was before the run."""
    del towers, decay
    v, w = variable(1.0), variable(2.0, "w")
    return v, tf.group(tf1.assign(v, w * 1.0), tf1.assign(w, v * 1.0)), {}


def trained_side_by_side(towers, decay):
    """Gradients are of what there was before the run."""
    del decay
    v = tf1.get_variable("v", initializer=tf.ones([2]))
    optimizer = tf1.train.GradientDescentOptimizer(0.01)
    return (v, *each_tower(towers, lambda m: optimizer.minimize(tf.reduce_sum(tf.square(v)) * m)))


def trained_by_hand(towers, decay):
    del decay
    v = tf1.get_variable("v", initializer=tf.ones([2]))

    def update(m):
        return tf1.assign_sub(v, 0.01 * tf.gradients(tf.reduce_sum(tf.square(v)) * m, v)[0])

    return (v, *each_tower(towers, update))


CASES = [
    moving_average, colocated, assigned, read_value, waiting, in_branches, in_inner_branches, in_a_branch_of_some,
    scattered, scatter_updated, averages, debiased, own_momentum, counted, swapped, trained_side_by_side,
    trained_by_hand,
]  # fmt: skip


def run(case, towers, decay, repeats):
    results = []
    for _ in range(repeats):
        graph = tf.Graph()
        with graph.as_default():
            v, operation, feeds = case(towers, decay)
            config = tf1.ConfigProto(allow_soft_placement=True)
            with Session(config=config) as session:
                session.run(tf1.global_variables_initializer())
                values = []
                for _ in range(STEPS):
                    session.run(operation, feeds)
                    values.append(np.round(session.run(v).astype(float), 5).tolist())
            results.append(values)
    return results


def main():
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    found = {}
    for case in CASES:
        for towers, decay in ((2, 0.5), (8, 0.7)):
            with contextlib.redirect_stdout(sys.stderr):
                found["%s/%d" % (case.__name__, towers)] = run(case, towers, decay, repeats)  # noqa: UP031
    print(json.dumps(found))


main()
