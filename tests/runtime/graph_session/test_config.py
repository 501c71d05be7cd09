"""What a session's config says to TensorFlow, in a process of its own: TensorFlow starts once."""

import pytest

from tests.runtime.tasks import run_python

pytestmark = pytest.mark.tensorflow

SESSIONS = """
import tensorflow.compat.v1 as tf
from tf2towers.runtime import Session, graph_mode

graph_mode()
if {pipeline_first}:
    tf.data.Dataset.range(3).map(lambda x: x + 1)
for _ in range(2):
    Session(config=tf.ConfigProto(inter_op_parallelism_threads={asked}))
print(tf.config.threading.get_inter_op_parallelism_threads())
"""


@pytest.mark.parametrize(
    ("pipeline_first", "asked", "threads", "reported"),
    [(False, 3, "3", 0), (True, 3, "8", 0), (True, 20, "8", 1)],
)
def test_a_config_that_comes_too_late_is_reported_once(
    pipeline_first: bool, asked: int, threads: str, reported: int
) -> None:
    """Where a pipeline has started TensorFlow there are eight threads: enough for a config that asks for fewer."""
    code = SESSIONS.format(pipeline_first=pipeline_first, asked=asked)
    out, errors = run_python("-c", code)
    assert out.strip() == threads
    assert errors.count(f"comes too late to say inter_op_parallelism_threads={asked}") == reported
