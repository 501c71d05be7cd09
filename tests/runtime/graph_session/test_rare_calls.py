"""The session's rarer calls: runs in parts, and runs within runs."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

PARTS = """
import numpy as np
import tensorflow.compat.v1 as tf
from tf2towers.runtime import Session, graph_mode

graph_mode()
a, b, c = (tf.placeholder(tf.float32, [None], name=name) for name in "abc")
w = tf.get_variable("w", initializer=1.0)
with tf.control_dependencies([w.assign_add(1.0)]):
    first = a + b
second, third = first * c, tf.identity(first)
fails = tf.check_numerics(a / b, "no number")


def refused(call):
    try:
        call()
    except tf.errors.InvalidArgumentError as error:
        return error.message.partition("\\n")[0]
    raise AssertionError("nothing was raised")


one = np.ones(3, np.float32)
session = Session()
session.run(tf.global_variables_initializer())
setup = session.partial_run_setup([first, second, third], [a, b, c])
assert refused(lambda: session.partial_run("other", first, {a: one})) == (
    "Must run 'setup' before performing partial runs!"
)
assert session.partial_run(setup, first, {a: one, b: one}).tolist() == [2, 2, 2]
kept = [name for name, _ in session._partial_runs[setup]._values.items()]
assert a.name not in kept and b.name not in kept, kept  # what nothing needs any more
assert "a:0 was already fed" in refused(lambda: session.partial_run(setup, second, {a: one}))
assert "add:0 was already fetched" in refused(lambda: session.partial_run(setup, first))
assert "Identity" in refused(lambda: session.partial_run(setup, tf.identity(c)))
assert session.partial_run(setup, second, {c: one * 3}).tolist() == [6, 6, 6]
assert session.partial_run(setup, third).tolist() == [2, 2, 2]
assert session.run(w) == 2.0  # nothing ran twice
assert not session._partial_runs  # it is over, and its arrays are gone
assert "Must run 'setup'" in refused(lambda: session.partial_run(setup, third))

# a value that is computed on the way to another, and fetched later
setup = session.partial_run_setup([first, second], [a, b, c])
assert session.partial_run(setup, second, {a: one, b: one, c: one}).tolist() == [2, 2, 2]
assert session.partial_run(setup, first).tolist() == [2, 2, 2] and session.run(w) == 3.0

setup = session.partial_run_setup([fails, second], [a, b, c])
assert "no number" in refused(lambda: session.partial_run(setup, fails, {a: one, b: one * 0}))
assert not session._partial_runs  # as in TF1, a run that has failed is over

queue = tf.FIFOQueue(1, tf.float32)
limited = Session(config=tf.ConfigProto(operation_timeout_in_ms=300))
taken = queue.dequeue()
setup = limited.partial_run_setup([taken], [])
try:
    limited.partial_run(setup, taken)
except tf.errors.DeadlineExceededError:
    print("fine")
"""

NESTED = """
import os
os.sched_setaffinity(0, set(list(os.sched_getaffinity(0))[:2]))  # before TensorFlow counts
import threading
import numpy as np
import tensorflow.compat.v1 as tf
from tf2towers.runtime import Session, graph_mode

graph_mode()
rows = tf.data.Dataset.from_tensor_slices(np.ones(4, np.float32)).map(lambda x: x * 2.0).repeat().batch(2)
row = tf.data.make_one_shot_iterator(rows).get_next()
fed = tf.placeholder(tf.float32, [2])
inner = tf.cond(tf.reduce_sum(fed) > 0.0, lambda: tf.reduce_sum(fed), lambda: 0.0)
both = threading.Barrier(2)


def nested(value):
    both.wait(60)  # both are under way
    return np.float32(session.run(inner, {fed: value}))


calls = [tf.py_func(nested, [row * factor], tf.float32) for factor in (1.0, 2.0)]
session = Session(config=tf.ConfigProto(inter_op_parallelism_threads=4))
assert session.run(calls) == [4.0, 8.0]
print("fine")
"""


@pytest.mark.parametrize("script", [PARTS, NESTED], ids=["partial_run", "runs within runs"])
def test_rare_calls(script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0 and done.stdout.endswith("fine\n"), done.stderr[-3000:]
    assert "comes too late" not in done.stderr


def test_all_threads_taken_is_said() -> None:
    script = NESTED.replace("import os\n", "import os\nos.environ['TF_NUM_INTEROP_THREADS'] = '2'\n", 1)
    script = script.replace(
        "assert session.run(calls)",
        "import sys\nthreading.Timer(20, os._exit, [3]).start()\nassert session.run(calls)",
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 3 and "runs of sessions within runs" in done.stderr, done.stderr[-3000:]
