"""Lookup tables, queues, batches of queue runners, accumulators."""

import numpy as np
import tensorflow as tf
from cases import case, cases

lookup = tf.contrib.lookup


@case
def tables_that_change():
    table = lookup.MutableHashTable(tf.string, tf.int64, -1)
    with tf.control_dependencies([table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))]):
        found = table.lookup(tf.constant(["b", "c"]))
        size = table.size()
    dense = lookup.MutableDenseHashTable(tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-2)
    with tf.control_dependencies(
        [dense.insert(tf.constant([5, 7], tf.int64), tf.constant([50, 70], tf.int64))]
    ):
        return [found, size, dense.lookup(tf.constant([7, 8], tf.int64))]


@case
def queues():
    first = tf.FIFOQueue(9, tf.float32, [[]])
    second = tf.PaddingFIFOQueue(9, [tf.int32], [[None]], shared_name="shared", name="padded")
    third = tf.PriorityQueue(9, tf.string, [[]])
    fourth = tf.RandomShuffleQueue(20, 0, tf.int32, [[]], seed=2)
    both = tf.FIFOQueue(5, [tf.int32, tf.float32], [[], [2]], names=["number", "pair"])
    with tf.control_dependencies([first.enqueue([1.0]), first.enqueue_many([[2.0, 3.0]])]):
        waiting = first.size()
        taken = first.dequeue_many(2)
    with tf.control_dependencies([second.enqueue([[1]]), second.enqueue([[2, 3]])]):
        padded = second.dequeue_many(2)
    with tf.control_dependencies(
        [third.enqueue_many([tf.constant([3, 1], tf.int64), tf.constant(["c", "a"])])]
    ):
        ranked = third.dequeue()
    with tf.control_dependencies([fourth.enqueue_many([tf.range(6)])]):
        shuffled = fourth.dequeue_many(6)
    with tf.control_dependencies([both.enqueue({"number": 3, "pair": [1.0, 2.0]})]):
        named = both.dequeue()
    return [
        tf.reduce_min(taken) > 0.5,
        tf.shape(padded),
        waiting > 0,
        ranked,
        shuffled,
        named,
        first.name,
        [dtype.name for dtype in both.dtypes],
        [str(shape) for shape in second.shapes],
        first.queue_ref.dtype.base_dtype.name,
        first.is_closed(),
        tf.QueueBase is not None,
    ]


@case
def batches():
    number = tf.constant(3)
    counted = tf.train.range_input_producer(4, shuffle=False).dequeue()
    alike = tf.fill([3], tf.constant(2))
    row, other = tf.train.slice_input_producer([np.arange(6), np.arange(6) * 2], shuffle=False)
    words = tf.train.string_input_producer(["a", "b"], shuffle=False).dequeue()
    return [
        tf.train.batch([number], 2),
        tf.train.batch({"counted": counted}, 3, capacity=5, name="counted"),
        tf.train.batch([row, other], batch_size=4, num_threads=1, allow_smaller_final_batch=True),
        tf.train.batch([alike], 2, dynamic_pad=True),
        tf.train.maybe_batch([tf.constant(1)], tf.constant(True), 2),
        tf.train.batch_join([[tf.constant(1)], [tf.constant(1)]], 2),
        words,
        tf.train.input_producer(np.arange(3), shuffle=False).dequeue(),
    ]


@case
def accumulators():
    accumulator = tf.ConditionalAccumulator(tf.float32, shape=[2], shared_name="sum")
    with tf.control_dependencies(
        [
            accumulator.apply_grad(tf.constant([1.0, 2.0]), 9),
            accumulator.apply_grad(tf.constant([3.0, 4.0]), 9),
        ]
    ):
        taken = accumulator.take_grad(2)
    rows = tf.SparseConditionalAccumulator(tf.float32, shape=[3, 2])
    with tf.control_dependencies(
        [rows.apply_indexed_slices_grad(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1], tf.int64)), 9)]
    ):
        taken_rows = rows.take_indexed_slices_grad(1)
    return [taken, taken_rows, accumulator.name, accumulator.dtype.name]


TABLE = {
    "tables": lambda words=(tf.constant, ["b", "z"]): [
        lookup.index_table_from_tensor(["a", "b"], num_oov_buckets=1).lookup(words),
        lookup.index_table_from_tensor(mapping=["a", "b"], default_value=-5).lookup(words),
        lookup.index_to_string_table_from_tensor(["a", "b"]).lookup(tf.constant([1, 5], tf.int64)),
        lookup.HashTable(lookup.KeyValueTensorInitializer(["a"], [4]), -1).lookup(words),
        lookup.HashTable(lookup.KeyValueTensorInitializer(["b"], [4]), -1, name="named").size(),
        *[
            lookup.HashTable(lookup.KeyValueTensorInitializer(["a"], [4]), -n, "s").lookup(words)
            for n in (1, 7)
        ],
        tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(tf.constant(["b"]), tf.constant([2.5])), 0.0
        ).lookup(words),
        tf.lookup.StaticVocabularyTable(
            tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64)), 3
        ).lookup(words),
        lookup.IdTableWithHashBuckets(None, 5).lookup(words),
    ],
    "shuffled_batches": lambda number=(tf.constant, 3): [
        tf.train.shuffle_batch([number], 2, 10, 3),
        tf.train.shuffle_batch(
            [number], batch_size=2, capacity=10, min_after_dequeue=1, seed=3, name="named"
        ),
        tf.train.shuffle_batch_join([[number], [number]], 2, 10, 3),
        tf.train.maybe_shuffle_batch([number], 2, 10, 3, tf.constant(True)),
        [summary.name for summary in tf.get_collection(tf.GraphKeys.SUMMARIES)],
        [runner.name for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)],
    ],
}
cases(__name__, TABLE)
