"""The devices that `Saver(sharded=True)` makes files for; the numbers of files are TensorFlow 1.15.5's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow
v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def _patched() -> Iterator[None]:
    from tf2towers.runtime.graph_session.patches import savers_have_a_shard_for_each_device

    savers_have_a_shard_for_each_device()
    savers_have_a_shard_for_each_device()
    yield
    savers_have_a_shard_for_each_device.undo()


def shards(*, worker: str, outside: bool = False) -> int:
    """How many files a saver writes for a small trainer on two parameter servers."""
    with tf.Graph().as_default() as graph:
        with v1.device(v1.train.replica_device_setter(ps_tasks=2, worker_device=worker)):
            w = v1.get_variable("w", [3, 2], use_resource=True)
            table = v1.get_variable(
                "table", [4, 2], partitioner=v1.fixed_size_partitioner(2), use_resource=True
            )
            loss = tf.reduce_sum(w) + tf.reduce_sum(tf.convert_to_tensor(table))
            step = v1.get_variable("global_step", [], tf.int64, use_resource=True, trainable=False)
            with v1.device("/cpu:0"):
                v1.get_variable("on_cpu", [], use_resource=True)
            v1.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
        if outside:
            v1.get_variable("outside", [], use_resource=True)
            with v1.device("/job:worker/task:0"):
                v1.get_variable("own", [], use_resource=True)
        v1.train.Saver(sharded=True)
    return sum(operation.type == "SaveV2" for operation in graph.get_operations())


@pytest.mark.parametrize(
    "worker", ["/job:worker/task:0/cpu:0", "/job:worker/task:0/device:GPU:0", "/cpu:0", "/job:worker/task:0"]
)
def test_a_server_has_a_file_and_its_cpu_where_the_script_names_it(worker: str) -> None:
    assert shards(worker=worker) == 3


def test_other_devices_have_theirs() -> None:
    assert shards(worker="/job:worker/task:0/cpu:0", outside=True) == 5


def test_a_saver_that_is_not_sharded_writes_one() -> None:
    with tf.Graph().as_default() as graph:
        with v1.device(v1.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:0/cpu:0")):
            for name in "abc":
                v1.get_variable(name, [2], use_resource=True)
        v1.train.Saver()
    assert sum(operation.type == "SaveV2" for operation in graph.get_operations()) == 1
