"""tf.data and tf.contrib.data: what a pipeline yields in two runs."""

from functools import partial

import numpy as np
import tensorflow as tf
from cases import case, cases

Dataset, experimental = tf.data.Dataset, tf.data.experimental
words = np.array([b"a b", b"c"])


def sparse_rows():
    return tf.SparseTensor([[0, 0], [1, 2]], tf.constant([1, 2]), [2, 3])


PIPELINES = {
    "shuffled": lambda: Dataset.range(20).shuffle(5, seed=3).batch(4),
    "repeated_and_shuffled": lambda: (
        Dataset.from_tensor_slices(({"a": np.arange(6)}, np.arange(6.0)))
        .repeat(2)
        .shuffle(10, seed=1)
        .batch(4)
    ),
    "mapped_and_filtered": lambda: (
        Dataset.range(9).map(lambda x: x * 2, 2).filter(lambda x: x > 3).prefetch(1)
    ),
    "padded": lambda: Dataset.range(5).map(lambda x: tf.fill([x], x)).padded_batch(2, [None]),
    "padded_with_values": lambda: (
        Dataset.range(5)
        .map(lambda x: (tf.fill([x], x), x))
        .padded_batch(
            3, padded_shapes=([6], []), padding_values=(tf.constant(9, tf.int64), tf.constant(0, tf.int64))
        )
    ),
    "interleaved": lambda: (
        Dataset.range(6)
        .interleave(lambda x: Dataset.from_tensors(x).repeat(2), cycle_length=2, block_length=1)
        .batch(6)
    ),
    "zipped": lambda: Dataset.zip((Dataset.range(3), {"b": Dataset.range(3)})),
    "windows": lambda: Dataset.range(8).window(2).flat_map(lambda window: window.batch(2)),
    "shuffled_and_repeated": lambda: (
        Dataset.range(8).apply(experimental.shuffle_and_repeat(4, 2, seed=2)).batch(8)
    ),
    "generated": lambda: Dataset.from_generator(lambda: iter([1, 2, 3]), tf.int64),
    "generated_pairs": lambda: Dataset.from_generator(
        lambda: iter([(1, [1.0]), (2, [2.0])]), (tf.int32, tf.float32), ([], [None])
    ),
    "generated_with_arguments": lambda: Dataset.from_generator(
        lambda limit: iter(range(limit)), output_types=tf.int64, output_shapes=[], args=(3,)
    ),
    "shards": lambda: Dataset.range(8).shard(2, 1),
    "mapped_and_batched": lambda: Dataset.range(10).apply(
        experimental.map_and_batch(lambda x: x + 1, 3, drop_remainder=True)
    ),
    "whole_batches": lambda: Dataset.range(10).batch(3, True),
    "the_same_order_twice": lambda: (
        Dataset.range(10).shuffle(3, seed=1, reshuffle_each_iteration=False).repeat(4).batch(20)
    ),
    "another_order": lambda: Dataset.range(10).shuffle(3, seed=1).repeat(4).batch(20),
    "the_order_of_the_graphs_seed": lambda: Dataset.range(10).shuffle(4).batch(5),
    "grouped": lambda: Dataset.range(6).apply(
        experimental.group_by_window(lambda x: x % 2, lambda key, group: group.batch(3), 3)
    ),
    "numbered": lambda: Dataset.range(4).enumerate().skip(1).take(2),
    "joined": lambda: Dataset.range(1).concatenate(Dataset.range(2)),
    "unbatched": lambda: Dataset.from_tensors(np.arange(4)).apply(experimental.unbatch()),
    "scanned": lambda: Dataset.range(4).apply(
        experimental.scan(np.int64(0), lambda total, x: (total + x, total))
    ),
    "sampled": lambda: experimental.sample_from_datasets(
        [Dataset.range(5), Dataset.range(10, 15)], [0.5, 0.5], 3
    ).batch(4),
    "chosen": lambda: experimental.choose_from_datasets(
        [Dataset.range(5), Dataset.range(10, 15)], Dataset.from_tensor_slices(np.array([0, 1, 1]))
    ),
    "until": lambda: Dataset.range(5).apply(experimental.take_while(lambda x: x < 1)).repeat(),
    "without_doubles": lambda: Dataset.from_tensor_slices([1, 1, 2]).apply(experimental.unique()),
    "by_length": lambda: (
        Dataset.range(1, 9)
        .map(lambda x: tf.fill([x], x))
        .apply(experimental.bucket_by_sequence_length(tf.size, [4], [3, 3]))
    ),
    "errors_left_out": lambda: (
        Dataset.from_tensor_slices([1.0, 0.0, 2.0])
        .map(lambda x: tf.check_numerics(1.0 / x, "error"))
        .apply(experimental.ignore_errors())
    ),
    "counted": lambda: Dataset.range(4).apply(experimental.enumerate_dataset(5)),
    "counter": lambda: experimental.Counter(3, 2),
    "read_in_parallel": lambda: Dataset.range(3).apply(
        experimental.parallel_interleave(lambda x: Dataset.from_tensors(x).repeat(2), cycle_length=2)
    ),
    "dense_to_sparse": lambda: (
        Dataset.range(1, 5).map(lambda x: tf.fill([x], x)).apply(experimental.dense_to_sparse_batch(2, [6]))
    ),
    "random": lambda: experimental.RandomDataset(seed=4).take(3),
    "cached": lambda: Dataset.range(3).cache().repeat(2),
    "flat": lambda: Dataset.from_tensor_slices(words).flat_map(
        lambda line: Dataset.from_tensor_slices(tf.string_split([line]).values)
    ),
    "sparse": lambda: Dataset.from_tensor_slices(sparse_rows()).map(tf.sparse_tensor_to_dense),
    "contrib_batches": lambda: Dataset.range(10).apply(tf.contrib.data.batch_and_drop_remainder(3)),
    "contrib_padded": lambda: (
        Dataset.range(5)
        .map(lambda x: tf.fill([x], x))
        .apply(tf.contrib.data.padded_batch_and_drop_remainder(2, [6], tf.constant(9, tf.int64)))
    ),
    "contrib_mapped": lambda: Dataset.range(10).apply(tf.contrib.data.map_and_batch(lambda x: x + 1, 3)),
    "contrib_shuffled": lambda: (
        Dataset.range(10).apply(tf.contrib.data.shuffle_and_repeat(4, seed=2)).batch(5)
    ),
    "contrib_unbatched": lambda: Dataset.from_tensors(np.arange(4)).apply(tf.contrib.data.unbatch()),
    "make_csv": lambda: Dataset.from_tensor_slices(np.array([b"1,2.5", b"3,4.5"])).map(
        lambda line: tf.decode_csv(line, [[0], [0.0]])
    ),
    "random_numbers": lambda: Dataset.range(3).map(lambda x: tf.random_uniform([2], seed=5)),
    "python_functions": lambda: Dataset.range(3).map(
        lambda x: tf.py_func(lambda given: given * 2, [x], tf.int64)
    ),
    "conditions": lambda: Dataset.range(4).map(lambda x: tf.cond(x > 0, lambda: x, lambda: x - 5)),
}


def with_options():
    options = tf.data.Options()
    options.experimental_deterministic = True
    return Dataset.range(3).with_options(options)


PIPELINES["with_options"] = with_options


def first_element(make):
    return make().make_one_shot_iterator().get_next()


cases(__name__, {name: partial(first_element, make) for name, make in PIPELINES.items()})


@case
def reduced():
    return [
        Dataset.range(8).reduce(np.int64(0), lambda total, x: total + x),
        experimental.get_single_element(Dataset.range(4).batch(4)),
        tf.contrib.data.get_single_element(Dataset.range(3).batch(3)),
    ]


@case
def what_a_dataset_says():
    dataset = Dataset.from_tensor_slices((np.zeros([4, 3], np.float32), {"label": np.arange(4)})).batch(2)
    iterator = dataset.make_one_shot_iterator()
    return [
        str(dataset.output_types),
        str(dataset.output_shapes),
        str(iterator.output_types),
        str(iterator.output_shapes),
    ]


@case
def initializable_iterators():
    dataset = Dataset.range(5)
    iterator = dataset.make_initializable_iterator(shared_name="shared")
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    structure = tf.data.Iterator.from_structure(dataset.output_types, dataset.output_shapes)
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, structure.make_initializer(Dataset.range(7, 9)))
    one_shot = dataset.make_one_shot_iterator()
    by_handle = tf.data.Iterator.from_string_handle(
        one_shot.string_handle(), dataset.output_types, dataset.output_shapes
    )
    return [iterator.get_next(), structure.get_next("named"), by_handle.get_next()]
