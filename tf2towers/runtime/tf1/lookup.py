"""`tf.contrib.lookup` of TensorFlow 1.15: TensorFlow's own tables, and the functions that make one."""

from typing import Any

import tensorflow as tf

# the V1 tables are public, the functions that make one are not: they stand where they stood in TF 1.15
from tensorflow.python.ops import lookup_ops
from tensorflow.python.ops.lookup_ops import *  # noqa: F403 - a face, not a copy


class HashTable(lookup_ops.HashTable):
    """A table that is filled once, by its initializer. Tables of one `shared_name` are one, without it each is its own.

    TensorFlow's takes the shared name of its initializer, which for a file says nothing of the delimiter.
    """

    def __init__(
        self, initializer: Any, default_value: Any, shared_name: str | None = None, name: str | None = None
    ) -> None:
        self._wanted_name = shared_name or ""
        super().__init__(initializer, default_value, name)

    def _create_resource(self) -> Any:
        self._shared_name = self._wanted_name
        return super()._create_resource()


class MutableHashTable(lookup_ops.MutableHashTable):
    """A table that is written step by step, with the `shared_name` that releases before TensorFlow 1.15 had."""

    def __init__(self, *args: Any, shared_name: str | None = None, **kwargs: Any) -> None:
        self._wanted_name = shared_name
        super().__init__(*args, **kwargs)

    def _create_resource(self) -> Any:
        self._shared_name = self._wanted_name
        return super()._create_resource()


def index_table_from_tensor(mapping: Any, *args: Any, **kwargs: Any) -> Any:
    """A table from strings to their places in `mapping`, which is TensorFlow's `vocabulary_list`."""
    return lookup_ops.index_table_from_tensor(mapping, *args, **kwargs)


def index_to_string_table_from_tensor(mapping: Any, *args: Any, **kwargs: Any) -> tf.lookup.StaticHashTable:
    """A table from places in `mapping` to the strings there."""
    return lookup_ops.index_to_string_table_from_tensor(mapping, *args, **kwargs)
