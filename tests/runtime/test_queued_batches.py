"""Batches out of TF1's queues, in a program of TF 2."""

from __future__ import annotations

import pytest

tf = pytest.importorskip("tensorflow")
pytestmark = pytest.mark.tensorflow

from tf2towers.runtime import QueuedBatches, batch_of_each_tower  # noqa: E402

v1 = tf.compat.v1


def rows(count: int = 6, epochs: int | None = None):
    """Batches of two of 0, 1, 2 ... in their order."""
    return v1.train.batch([v1.train.range_input_producer(count, epochs, shuffle=False).dequeue()], 2)


def test_batches_come_in_the_order_of_the_queue_until_its_end():
    batches = QueuedBatches(lambda: rows(5, epochs=2))
    assert tf.executing_eagerly()
    coord = tf.train.Coordinator()
    threads = batches.start(coord)
    assert [batches.get_next().numpy().tolist() for _ in range(5)] == [[0, 1], [2, 3], [4, 0], [1, 2], [3, 4]]
    with pytest.raises(tf.errors.OutOfRangeError):
        batches.get_next()
    coord.request_stop()
    coord.join(threads)


def test_a_batch_keeps_what_it_is_made_of():
    def build():
        sparse = tf.SparseTensor([[0, 1]], [2.0], [2, 2])
        return {"rows": rows(), "few": (rows(), None), "size": 2, "sparse": sparse}

    batches = QueuedBatches(build)
    batches.start()
    batch = batches.get_next()
    assert batch["rows"].numpy().tolist() == batch["few"][0].numpy().tolist() == [0, 1]
    assert (batch["few"][1], batch["size"]) == (None, 2)
    assert tf.sparse.to_dense(batch["sparse"]).numpy().tolist() == [[0, 2], [0, 0]]


def test_every_tower_has_a_batch_of_its_own():
    devices = [device.name for device in tf.config.list_logical_devices("CPU")][:2]
    strategy = tf.distribute.MirroredStrategy(devices)
    own = QueuedBatches(rows, towers=len(devices))
    own.start()
    shared = QueuedBatches(rows)
    shared.start()
    for _ in range(2):
        several = strategy.experimental_local_results(own.of_each_tower(strategy))
        assert len({tuple(batch.numpy()) for batch in several}) == 1
    in_turn = strategy.experimental_local_results(batch_of_each_tower(strategy, shared))
    assert [batch.numpy().tolist() for batch in in_turn] == [[0, 1], [2, 3]][: len(devices)]


def test_what_is_made_beside_a_strategy_is_not_its_own():
    with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        batches = QueuedBatches(lambda: rows(epochs=1))
    batches.start()
    assert batches.get_next().shape == [2]
