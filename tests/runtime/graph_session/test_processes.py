"""Effects of a session that last for its process: each program of these tests runs in a process of its own."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import dedent

import pytest

from tests.runtime.tasks import run_python

pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

# -- what a config says to TensorFlow, which starts once

SESSIONS = """
import tensorflow.compat.v1 as tf
from tf2towers.runtime import Session, graph_mode

graph_mode()
if {pipeline_first}:
    tf.data.Dataset.range(3).map(lambda x: x + 1)
for _ in range(2):
    Session(config={config})
print(tf.config.threading.get_inter_op_parallelism_threads())
"""


@pytest.mark.parametrize(
    ("pipeline_first", "asked", "threads", "reported"),
    [
        (False, "3", "3", 0),
        (True, "1", "0", 1),
        (True, "3", "3" if len(os.sched_getaffinity(0)) < 3 else "0", 0),
        (True, "20", "20", 0),
        (True, "int('3')", "8", 0),
        (True, "int('20')", "8", 1),
        (True, None, "0", 0),
        (False, None, "0", 0),
    ],
)
def test_a_config_that_comes_too_late_is_reported_once(
    pipeline_first: bool, asked: str | None, threads: str, reported: int, tmp_path: Path
) -> None:
    """Where a pipeline starts TensorFlow, a larger number in the program counts; of an unknown one, eight are made."""
    config = f"tf.ConfigProto(inter_op_parallelism_threads={asked})" if asked else None
    script = tmp_path / "sessions.py"
    script.write_text(SESSIONS.format(pipeline_first=pipeline_first, config=config))
    out, errors = run_python(str(script))
    assert out.strip() == threads
    assert errors.count("comes too late to set inter_op_parallelism_threads=") == reported


# -- when a program looks for devices: CUDA takes CUDA_VISIBLE_DEVICES as it is then

GROWTH = "TF_FORCE_GPU_ALLOW_GROWTH"
LOOKS = """\
import tensorflow.compat.v1 as tf
from tensorflow.python import pywrap_tfe
from tf2towers.runtime import Session, TowerStrategy, graph_mode

look, looked = pywrap_tfe.TF_ListPhysicalDevices, []
pywrap_tfe.TF_ListPhysicalDevices = lambda: looked.append(True) or look()

graph_mode()
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.get_variable("w", [2])
    train_op = tf.train.AdamOptimizer().minimize(tf.reduce_sum(x * w))
    assert not looked  # here a script's main() says which GPUs
    {begin}
    assert looked
    print(len(tf.config.list_logical_devices("CPU")))
"""


@pytest.mark.parametrize("begin", ["Session().run(tf.global_variables_initializer())", "TowerStrategy(3)"])
def test_devices_may_be_chosen_until_a_session_or_a_strategy_is_made(begin: str) -> None:
    assert run_python("-c", LOOKS.format(begin=begin))[0].split() == ["8"]


@pytest.mark.parametrize("said", [None, "false"])
def test_gpus_take_memory_as_they_need_it_unless_the_environment_says_otherwise(
    said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(GROWTH, raising=False)
    program = (
        f"import os; from tf2towers.runtime import graph_mode; graph_mode(); print(os.environ['{GROWTH}'])"
    )
    out, _ = run_python("-c", program, **({GROWTH: said} if said else {}))
    assert out.split() == [said or "true"]


# -- runs of a session within its runs

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


@pytest.mark.parametrize("threads", ["4", "int('4')", None])
def test_a_python_function_in_a_run_may_run_the_session_again(threads: str | None, tmp_path: Path) -> None:
    """None: a program without a file, as in a notebook."""
    script = tmp_path / "nested.py"
    script.write_text(NESTED.replace("threads=4", f"threads={threads}"))
    out, errors = run_python(str(script)) if threads else run_python("-c", NESTED)
    assert out.endswith("fine\n") and "comes too late" not in errors


def test_all_threads_taken_is_said() -> None:
    at_once = """\
from tf2towers.runtime.graph_session.runs import nested as runs
runs._PATIENCE, warn = 0.5, runs._warn
runs._warn = lambda: warn() or os._exit(3)
"""
    script = NESTED.replace("assert session.run", at_once + "assert session.run")
    _, errors = run_python("-c", script, status=3, TF_NUM_INTEROP_THREADS="2")
    assert "runs of sessions within runs" in errors


# -- where a seeded operation cannot go on where another run left it

DRAWS = """\
import tensorflow as tf
from tf2towers.runtime import Session, graph_mode

graph_mode()
size = tf.compat.v1.placeholder(tf.int32, [])
counted = tf.random.shuffle(tf.range(5), seed=1)
free = tf.random.shuffle(tf.range(size), seed=1)
with Session() as sess:
    sess.run([counted, free], {size: 3})
    sess.run(counted)
    sess.run(free, {size: 4})
    sess.run(free, {size: 5})
"""


def test_an_op_that_draws_its_own_sequence_is_reported_with_its_line(tmp_path: Path) -> None:
    script = tmp_path / "draws.py"
    script.write_text(DRAWS)
    said = [line for line in run_python(str(script))[1].splitlines() if "its own sequence" in line]
    assert len(said) == 1
    assert f"({script}:7)" in said[0]


def test_a_plain_import_takes_functions_for_devices() -> None:
    program = dedent(
        """\
            import tensorflow as tf
            from tf2towers.runtime import graph_mode
            graph_mode()
            with tf.device(lambda op: '/cpu:1' if op.type == 'Add' else '/cpu:0'):
                total = tf.add(tf.constant(1.0), 2.0, name='total')
            print(total.op.device[-5:].upper(), total.op.type)
            with tf.device('/cpu:2'):
                print(tf.constant(1.0).op.device[-5:])
            with tf.device(tf.compat.v1.train.replica_device_setter(ps_tasks=2)):
                print(*(tf.compat.v1.get_variable(name, []).device for name in 'ab'))
            """
    )
    servers = ["/job:ps/task:0", "/job:ps/task:1"]
    assert run_python("-c", program)[0].split() == ["CPU:0", "AddV2", "CPU:2", *servers]
