"""Runs of a session within its runs."""

from __future__ import annotations

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

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


def test_runs_within_runs() -> None:
    out, errors = run_python("-c", NESTED)
    assert out.endswith("fine\n") and "comes too late" not in errors


def test_all_threads_taken_is_said() -> None:
    script = NESTED.replace(
        "session.run(calls)", "threading.Timer(20, os._exit, [3]).start() or session.run(calls)"
    )
    _, errors = run_python("-c", script, status=3, TF_NUM_INTEROP_THREADS="2")
    assert "runs of sessions within runs" in errors
