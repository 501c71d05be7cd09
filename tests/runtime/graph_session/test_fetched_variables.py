"""A variable that is fetched together with its update, as TF 1.15 gave it with each kind of variables."""

from __future__ import annotations

import json
from textwrap import indent

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

HEAD = """\
import tensorflow.compat.v1 as tf
from tf2towers.runtime import Session, graph_mode
graph_mode(3)
"""
#: what is -> its program, which runs in a graph of its own, and what it prints, from TF 1.15 but
#: for the last line
CASES = {
    "what was its memory is what the update left": ("""\
w = tf.get_variable("w", initializer=[2.0, 3.0])
same = tf.identity(w)
reshaped = tf.reshape(same, [1, 2])
with tf.control_dependencies([reshaped]):
    train_op = tf.train.GradientDescentOptimizer(0.25).minimize(tf.reduce_sum(tf.square(same)))
with Session() as sess:
    sess.run(tf.global_variables_initializer())
    print([value.tolist() for value in sess.run([same, w.value(), w.read_value(), reshaped, train_op])[:-1]])
    print(sess.run([same * 1, train_op])[0].tolist(), sess.run(w).tolist())
""", ["[[1.0, 1.5], [1.0, 1.5], [1.0, 1.5], [[1.0, 1.5]]]", "[1.0, 1.5] [0.5, 0.75]"]),
    "slices that were its memory, and others": ("""\
one = tf.get_variable("one", initializer=[2.0])
rows = tf.get_variable("rows", [4, 16], initializer=tf.ones_initializer())
short = tf.get_variable("short", [4, 3], initializer=tf.ones_initializer())
same = [one[0], one[:], tf.reshape(one, [1, 1])[0], tf.ensure_shape(one, [1]), tf.transpose(one), rows[1], rows[1:3]]
others = [one[0] * 1, rows[1][:2], rows[:, :4], rows[::-1], short[1], short[:, 1], tf.gather(short, [1, 2])]
updates = [tf.assign_add(v, tf.ones_like(v)) for v in (one, rows, short)]
with Session() as sess:
    sess.run(tf.global_variables_initializer())
    for values in (same, others):
        print([float(value.ravel()[0]) for value in sess.run(values + updates)[: len(values)]])
""", ["[3.0, 3.0, 3.0, 3.0, 3.0, 2.0, 2.0]", "[3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]"]),
    "one with a caching device is read once more": ("""\
w = tf.get_variable("w", initializer=2.0, caching_device="/cpu:0")
loss = tf.square(w)
train_op = tf.train.GradientDescentOptimizer(0.25).minimize(loss)
with Session() as sess:
    sess.run(tf.global_variables_initializer())
    values = [sess.run([w, train_op])[0], *sess.run([w, loss, train_op])[:2]]
    print(values.count(1.0))  # loss and w, each before or after
""", ["2"]),
    "before its update where the script has resource variables": ("""\
for options in ({}, {"resource_variables": True}, {"v2_behavior": True}):
    if "v2_behavior" in options:
        tf.enable_v2_tensorshape()
    graph_mode(**options)
    with tf.Graph().as_default():
        count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), trainable=False)
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
        optimizer = tf.train.AdamOptimizer(0.1 * (1.0 + count))
        train_op = optimizer.minimize(tf.reduce_sum(tf.square(w)), global_step=count)
        with Session() as sess:
            sess.run(tf.global_variables_initializer())
            print([float(sess.run([count, train_op])[0]) for _ in range(3)], type(w.shape[0]).__name__)
""", [
        "[1.0, 2.0, 3.0] Dimension", "[0.0, 1.0, 2.0] Dimension",
        "[0.0, 1.0, 2.0] int",  # from TF 2.21, with eager execution off
    ]),
}  # fmt: skip
BRANCHES = """
def with_deps(v, m):
    with tf.control_dependencies([v.assign_add(m)]):
        return tf.identity(v)

CASES = {
    "added": lambda p, v, w, m: tf.cond(p, lambda: v.assign_add(m), lambda: v),
    "identity": lambda p, v, w, m: tf.identity(
        tf.cond(p, lambda: tf.identity(v.assign_add(m)), lambda: v.read_value())),
    "inner": lambda p, v, w, m: tf.cond(
        p, lambda: tf.cond(tf.constant(m) > 1.5, lambda: v.assign_add(m), lambda: v.assign_sub(m)), lambda: v),
    "two variables": lambda p, v, w, m: tf.cond(p, lambda: v.assign_add(m), lambda: w.assign_add(m)),
    "waiting": lambda p, v, w, m: tf.cond(p, lambda: with_deps(v, m), lambda: tf.identity(v)),
    "case": lambda p, v, w, m: tf.case(
        [(p, lambda: v.assign_add(m)), (tf.constant(m) > 2.5, lambda: v.assign_sub(m))], default=lambda: v),
    "computed": lambda p, v, w, m: tf.cond(p, lambda: v.assign_add(m) * 1.0, lambda: v * 1.0),
    "outside": lambda p, v, w, m: v.assign_add(m),
    "read outside": lambda p, v, w, m: with_deps(v, m),
}
for name, build in CASES.items():
    for taken in (True, False):
        with tf.Graph().as_default(), Session() as sess:
            v, w = (tf.get_variable(n, initializer=start, trainable=False) for n, start in (("v", 0.0), ("w", 5.0)))
            p, towers = tf.placeholder_with_default(taken, []), []
            for tower in range(3):
                with tf.device("/gpu:%d" % tower):
                    towers.append(build(p, v, w, tower + 1.0))
            total = tf.add_n(towers)
            sess.run(tf.global_variables_initializer())
            fetched, alone = [[float(x) for x in sess.run(towers + [total])] for _ in range(2)], float(sess.run(total))
            print(name, taken, *fetched, alone, sep="; ")
"""
#: case -> with the first branch and with the second: what two runs give of three towers and of
#: their sum, and a third run of the sum alone; all from TF 1.15
OF_BRANCHES = {
    "added": ([6, 6, 6, 18], [12, 12, 12, 36], 54, [0, 0, 0, 0], [0, 0, 0, 0], 0),
    "identity": ([6, 6, 6, 18], [12, 12, 12, 36], 54, [0, 0, 0, 0], [0, 0, 0, 0], 0),
    "inner": ([4, 4, 4, 12], [8, 8, 8, 24], 36, [0, 0, 0, 0], [0, 0, 0, 0], 0),
    "two variables": ([6, 6, 6, 18], [12, 12, 12, 36], 54, [11, 11, 11, 33], [17, 17, 17, 51], 69),
    "waiting": ([6, 6, 6, 18], [12, 12, 12, 36], 54, [0, 0, 0, 0], [0, 0, 0, 0], 0),
    "case": ([6, 6, 6, 18], [12, 12, 12, 36], 54, [-3, -3, -3, -9], [-6, -6, -6, -18], -27),
    "computed": ([1, 3, 6, 10], [7, 9, 12, 28], 46, [0, 0, 0, 0], [0, 0, 0, 0], 0),  # one of its outcomes
    "outside": ([6, 6, 6, 18], [12, 12, 12, 36], 54) * 2,
    "read outside": ([6, 6, 6, 18], [12, 12, 12, 36], 54) * 2,
}


def run(program: str) -> list[str]:
    return run_python("-c", HEAD + program)[0].splitlines()


@pytest.fixture(scope="module")
def printed() -> list[str]:
    """All cases in one process."""
    return run("".join(
        f"print({'== ' + name!r})\nwith tf.Graph().as_default():\n{indent(text, '    ')}"
        for name, (text, _) in CASES.items()
    ))  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_fetched_variable_has_tf1s_value(name: str, printed: list[str]) -> None:
    expected = CASES[name][1]
    place = printed.index(f"== {name}") + 1
    assert printed[place : place + len(expected)] == expected


def test_what_left_a_branch_was_its_memory_as_well() -> None:
    found: dict[str, tuple] = {}
    for name, _, *values in (line.split("; ") for line in run(BRANCHES) if "; " in line):
        found[name] = (*found.get(name, ()), *map(json.loads, values))
    assert found == OF_BRANCHES
