"""Operations of another worker, which runs none for others: those that give the same here run here."""

from __future__ import annotations

import pytest

from tests.runtime.tasks import run_python

pytestmark = pytest.mark.tensorflow

#: the session has run before the operations on worker 1 are built; TF 1.15 ran all of them, on
#: worker 1
SCRIPT = """
import tensorflow.compat.v1 as tf

from tests.runtime.tasks import free_ports
from tf2towers.runtime import Server, Session, graph_mode
import socket

graph_mode()
here, there, other = (f"localhost:{port}" for port in free_ports(3))
spec = tf.train.ClusterSpec({"ps": [here], "worker": [there, other]})
ps = Server(spec, "ps", 0)
server = Server(spec, "worker", 0)
with tf.device("/job:ps/task:0"):
    w = tf.Variable([[1.0], [2.0]])
x = tf.placeholder(tf.float32, [None, 2])


def refused(session, fetch):
    try:
        session.run(fetch, {x: [[1.0, 1.0]]})
    except tf.errors.InvalidArgumentError as error:
        assert "/job:worker/task:1" in str(error), error
        return True
    return False


with socket.create_server(("", int(other.rpartition(":")[2]))), Session(server.target) as session:
    session.run(w.initializer)
    with tf.device("/job:worker/task:1/gpu:0"):
        y = tf.matmul(x, w)
        train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(y))
        read = w.read_value() * 2.0
        total = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t + w[0, 0]), [0, 0.0])[1]
        doubled = tf.map_fn(lambda row: row * 2.0, x)
        either = tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.identity(x), lambda: -x)
        checked = tf.Assert(tf.reduce_sum(x) > 0.0, [x])
        drawn = tf.random_uniform([2], seed=3)
    with tf.device("/job:worker/task:0"):
        drawn_here = tf.random_uniform([2], seed=3)
    feeds = {x: [[1.0, 1.0], [3.0, 1.0]]}
    assert session.run(y, feeds).tolist() == [[3], [5]]
    assert session.run(doubled, feeds).tolist() == [[2, 2], [6, 2]]
    session.run(checked, feeds)
    assert session.run(either, feeds).tolist() == feeds[x]
    session.run(train, feeds)
    assert session.run([read, total], feeds)[0].tolist() == [[-2], [2]]
    assert session.run(total) == -3
    assert len({tuple(session.run(drawn)) for _ in range(3)}) == 3  # a sequence, as any session's
    with tf.device("/job:worker/task:1"):
        kept = tf.Variable(1.0)
        queue = tf.FIFOQueue(3, tf.float32)
        printed = tf.Print(x, [x])
        written = tf.write_file("never", "x")
        content = tf.read_file("never")
        rows = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
        called = tf.py_func(lambda: 1.0, [], tf.float32)
    assert refused(session, kept.initializer) and refused(session, kept + 1.0)
    for fetch in (queue.size(), queue.enqueue(1.0), written, content, rows, called, printed):
        assert refused(session, fetch), fetch
with Session(server.target, config=tf.ConfigProto(device_filters=["/job:ps"])) as session:
    assert refused(session, tf.identity(read))  # TF1 found no such device there
print("fine")
"""


def test_operations_of_another_worker_that_are_built_between_runs() -> None:
    out, errors = run_python("-c", SCRIPT)
    assert out.endswith("fine\n"), errors[-3000:]
    said = {line for line in errors.splitlines() if "operations placed on worker 1 run here" in line}
    assert len(said) == 1 and "worker 0: " in said.pop(), errors[-3000:]
