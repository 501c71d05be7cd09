"""Datasets and their iterators."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.patches.patch import Patch, patch


@patch(
    "dataset.enumerate",
    source="data/ops/dataset_ops.py, DatasetV1",
    test="tests/functions/programs/datasets.py",
    serves=("data.Dataset.enumerate",),
)
def enumerated_datasets_have_iterators(changes: Patch) -> None:
    """Makes `dataset.enumerate()` a dataset with `make_one_shot_iterator`, as TF1's methods.

    `enumerate` is the only method that TF1's dataset class does not wrap; the function that it
    calls uses TF 2's class.
    """
    adapt = changes.private("data.ops.dataset_ops.DatasetV1Adapter")
    if "enumerate" not in vars(_v1.data.Dataset):

        def wrapped(dataset: Any, *arguments: Any, **options: Any) -> Any:
            return adapt(tf.compat.v2.data.Dataset.enumerate(dataset, *arguments, **options))

        changes.set(_v1.data.Dataset, "enumerate", wrapped)


@patch(
    "datasets that are imported from tensorflow.python",
    source="data/ops/dataset_ops.py and readers.py",
    test="tests/runtime/patches/test_private.py",
)
def private_datasets_are_tf1s(changes: Patch) -> None:
    """Makes `dataset_ops.Dataset` and the readers TF1's classes, as when TF 2 is disabled."""
    dataset_ops = changes.private("data.ops.dataset_ops")
    readers = changes.private("data.ops.readers")
    changes.replace(dataset_ops, "Dataset", _v1.data.Dataset)
    for name in ("FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"):
        changes.replace(readers, name, getattr(_v1.data, name))


@patch(
    "a dataset's iterator",
    source="data/ops/dataset_ops.py, Dataset._apply_options",
    test="tests/runtime/patches/test_private.py",
    serves=(
        "data.make_one_shot_iterator",
        "data.make_initializable_iterator",
        "data.Dataset.make_one_shot_iterator",
        "data.Dataset.make_initializable_iterator",
        "data.Iterator.from_structure",
    ),
)
def datasets_read_variables_in_time(changes: Patch) -> None:
    """Makes a dataset that reads variables or queues compute each element when it is requested.

    TensorFlow 2 adds a `prefetch` at the end of every pipeline, so an element was computed from an
    old variable value.
    """

    def reads_state(dataset: Any) -> bool:
        return any(
            given.dtype == tf.resource and "Table" not in given.op.type
            for function in changes.get(dataset, "_functions")()
            for given in function.function.captured_inputs
        ) or any(reads_state(source) for source in changes.get(dataset, "_inputs")())

    def in_time(dataset: Any) -> Any:
        if not reads_state(dataset):
            return dataset
        options = tf.data.Options()
        options.experimental_optimization.inject_prefetch = False
        return dataset.with_options(options)

    @changes.around(_v1.data.Iterator, "make_initializer")
    def make_initializer(plain: Any, iterator: Any, dataset: Any, name: str | None = None) -> Any:
        return plain(iterator, in_time(dataset), name)

    changes.around(tf.compat.v2.data.Dataset, "_apply_debug_options")(
        lambda plain, data: in_time(plain(data))
    )
