"""Prints the values of variables after runs in which several operations read and write them.

`python drive_order.py` runs under `graph_mode`; with a TF 1.15 the same cases run on its own
session.
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


def each_tower(towers, build):
    """What each tower builds of a tensor of its own, which takes a while: its mean is the tower's number, from 1."""
    batch = tf1.placeholder(tf.float32, [towers, 32, 32], name="batch")
    values = np.stack([np.eye(32) * np.sqrt(32.0 * (1 + tower)) for tower in range(towers)])
    operations = []
    for tower in range(towers):
        with tf.device("/gpu:%d" % tower), tf1.name_scope("tower_%d" % tower):  # noqa: UP031 - Python 3.5
            operations.append(build(tf.reduce_mean(tf.matmul(batch[tower], batch[tower]))))
    return tf.group(*operations), {batch: values.astype(np.float32)}


def variable(value=0.0, name="v", trainable=False):
    return tf1.get_variable(name, initializer=tf.constant(value), trainable=trainable)


def moving_average(v, m, decay):
    return tf1.assign_sub(v, (v - m) * decay)


def colocated(v, m, decay):
    with tf1.colocate_with(v):
        return moving_average(v, m, decay)


def assigned(v, m, decay):
    return tf1.assign(v, v * (1 - decay) + m * decay)


def read_value(v, m, decay):
    return v.assign(v.read_value() * (1 - decay) + m * decay)


def waiting(v, m, decay):
    with tf.control_dependencies([m]):
        return tf1.assign_sub(v, (tf.identity(v) - m) * decay)


def in_branches(v, m, decay, update=assigned):
    training = tf1.placeholder_with_default(True, [])
    return tf1.cond(training, lambda: update(v, m, decay), lambda: v + 0.0)


def in_inner_branches(v, m, decay):
    def inner(v, m, decay):
        return tf1.cond(m > 0.0, lambda: moving_average(v, m, decay), lambda: v - 1.0)

    return in_branches(v, m, decay, inner)


def in_a_branch_of_some(v, m, decay):
    """Every second tower's branch is not taken; a plain update comes before and after it."""
    first = moving_average(v, m, decay)
    taken = tf1.floormod(m + 0.5, 2.0) < 1.0
    branch = tf1.cond(taken, lambda: moving_average(v, m, decay), lambda: tf.constant(0.0))
    return tf.group(first, branch, moving_average(v, m, decay))


def scattered(v, m, decay):
    return tf1.scatter_sub(v, [0, 2], (tf.gather(v, [0, 2]) - m) * decay)


def scatter_updated(v, m, decay):
    return tf1.scatter_update(v, [1], tf.gather(v, [1]) * (1 - decay) + m * decay)


def averages(v, m, decay, zero_debias=False):
    from tensorflow.python.training import moving_averages

    with tf1.variable_scope(tf1.get_variable_scope(), reuse=tf1.AUTO_REUSE):
        return moving_averages.assign_moving_average(v, m, 1 - decay, zero_debias=zero_debias)


def debiased(v, m, decay):
    return averages(v, m, decay, zero_debias=True)


def own_momentum(v, m, decay):
    """Two variables, the second written with what the first one's write left."""
    with tf1.variable_scope("", reuse=tf1.AUTO_REUSE):
        velocity = variable(0.0, "velocity")
    return tf1.assign_sub(v, assigned(velocity, m, decay) * 0.5)


def counted(v, m, decay):
    return tf1.assign(v, v + tf.sign(m))


def trained_side_by_side(v, m, decay):
    """Gradients are computed from the values before the run."""
    return tf1.train.GradientDescentOptimizer(0.01).minimize(tf.reduce_sum(tf.square(v)) * m)


def trained_by_hand(v, m, decay):
    return tf1.assign_sub(v, 0.01 * tf.gradients(tf.reduce_sum(tf.square(v)) * m, v)[0])


#: what each tower does to the variable, and its value before, where that is not 0
CASES = {
    moving_average: 0.0, colocated: 0.0, assigned: 0.0, read_value: 0.0, waiting: 0.0, in_branches: 0.0,
    in_inner_branches: 0.0, in_a_branch_of_some: 0.0, scattered: [[0.0, 0.0]] * 3, scatter_updated: [[0.0, 0.0]] * 3,
    averages: 8.0, debiased: 0.0, own_momentum: 0.0, counted: 0.0, trained_side_by_side: [1.0, 1.0],
    trained_by_hand: [1.0, 1.0],
}  # fmt: skip


def swapped():
    """Each variable takes the value that the other one had before the run."""
    v, w = variable(1.0), variable(2.0, "w")
    return v, tf.group(tf1.assign(v, w * 1.0), tf1.assign(w, v * 1.0)), {}


def built(case, towers, decay):
    if case is swapped:
        return swapped()
    v = variable(CASES[case], trainable=case.__name__.startswith("trained"))
    return (v, *each_tower(towers, lambda m: case(v, m, decay)))


def run(case, towers, decay, repeats):
    results = []
    for _ in range(repeats):
        graph = tf.Graph()
        with graph.as_default():
            v, operation, feeds = built(case, towers, decay)
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
    for case in (*CASES, swapped):
        for towers, decay in ((2, 0.5), (8, 0.7)):
            with contextlib.redirect_stdout(sys.stderr):
                found["%s/%d" % (case.__name__, towers)] = run(case, towers, decay, repeats)  # noqa: UP031
    print(json.dumps(found))


if __name__ == "__main__":
    main()
