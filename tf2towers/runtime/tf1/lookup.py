"""`tf.contrib.lookup` of TensorFlow 1.15: TensorFlow's own tables, with the names and arguments they had there."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

# the V1 tables are public, the functions that make one are not: they stand where they stood in TF 1.15
from tensorflow.python.ops import lookup_ops

FastHashSpec, StrongHashSpec = lookup_ops.FastHashSpec, lookup_ops.StrongHashSpec
HasherSpec, IdTableWithHashBuckets = lookup_ops.HasherSpec, lookup_ops.IdTableWithHashBuckets
KeyValueTensorInitializer, TextFileIndex = lookup_ops.KeyValueTensorInitializer, lookup_ops.TextFileIndex
TextFileInitializer = lookup_ops.TextFileInitializer
TextFileIdTableInitializer = lookup_ops.TextFileIdTableInitializer
TextFileStringTableInitializer = lookup_ops.TextFileStringTableInitializer
index_table_from_file = lookup_ops.index_table_from_file
index_to_string_table_from_file = lookup_ops.index_to_string_table_from_file


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    dtype: Any = tf.string,
    name: str | None = None,
) -> Any:
    """A table from the strings (or integers) of `mapping` to their places."""
    return lookup_ops.index_table_from_tensor(
        mapping, num_oov_buckets, default_value, hasher_spec, dtype, name
    )


def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """A table from places to the strings of `mapping`."""
    return lookup_ops.index_to_string_table_from_tensor(mapping, default_value, name)


def string_to_index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: str | None = None,
) -> Any:
    """`index_table_from_tensor` for strings."""
    return lookup_ops.index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec, name=name)


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: str | None = None,
) -> Any:
    """`index_table_from_file` for strings."""
    return index_table_from_file(
        vocabulary_file,
        num_oov_buckets,
        vocab_size,
        default_value,
        hasher_spec,
        key_dtype=tf.string,
        name=name,
    )


def string_to_index(
    tensor: tf.Tensor, mapping: Any, default_value: int = -1, name: str | None = None
) -> tf.Tensor:
    """The places of strings in `mapping`."""
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(
    tensor: tf.Tensor, mapping: Any, default_value: str = "UNK", name: str | None = None
) -> tf.Tensor:
    """The strings of `mapping` at some places."""
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)


class HashTable(tf.compat.v1.lookup.StaticHashTable):
    """A table that is filled once, by `init`."""

    def __init__(
        self, initializer: Any, default_value: Any, shared_name: str | None = None, name: str | None = None
    ) -> None:
        if shared_name is not None:
            raise NotImplementedError("tf2towers: a table that sessions share (shared_name)")
        super().__init__(initializer, default_value, name=name)

    @property
    def init(self) -> Any:
        """The operation that fills it."""
        return self.initializer


class MutableHashTable(lookup_ops.MutableHashTable):
    """A table that operations change."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        shared_name: str | None = None,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
    ) -> None:
        if shared_name is not None:
            raise NotImplementedError("tf2towers: a table that sessions share (shared_name)")
        super().__init__(key_dtype, value_dtype, default_value, name=name, checkpoint=checkpoint)
