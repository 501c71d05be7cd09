"""What a session's config says to TensorFlow, in a process of its own: TensorFlow starts once."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.tensorflow

SESSIONS = """
import tensorflow.compat.v1 as tf
from tf2towers.runtime import Session, graph_mode

graph_mode()
if {pipeline_first}:
    tf.data.Dataset.range(3).map(lambda x: x + 1)
for _ in range(2):
    Session(config=tf.ConfigProto(inter_op_parallelism_threads=3))
print(tf.config.threading.get_inter_op_parallelism_threads())
"""


@pytest.mark.parametrize(("pipeline_first", "threads", "told"), [(False, "3", 0), (True, "0", 1)])
def test_a_config_that_comes_too_late_is_told_once(pipeline_first: bool, threads: str, told: int) -> None:
    code = SESSIONS.format(pipeline_first=pipeline_first)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == threads
    assert done.stderr.count("comes too late to say inter_op_parallelism_threads=3") == told
