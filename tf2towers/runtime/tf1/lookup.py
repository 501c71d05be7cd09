"""`tf.contrib.lookup` of TensorFlow 1.15: TensorFlow's own tables, with the names and arguments they had there."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

# the V1 tables are public, the functions that make one are not: they stand where they stood in TF 1.15
from tensorflow.python.ops import lookup_ops
from tensorflow.python.ops.lookup_ops import *  # noqa: F403 - a face, not a copy


def index_table_from_tensor(mapping: Any, *args: Any, **kwargs: Any) -> Any:
    """A table from the strings (or integers) of `mapping` to their places; TensorFlow's call it `vocabulary_list`."""
    return lookup_ops.index_table_from_tensor(mapping, *args, **kwargs)


def index_to_string_table_from_tensor(mapping: Any, *args: Any, **kwargs: Any) -> Any:
    """A table from places to the strings of `mapping`."""
    return lookup_ops.index_to_string_table_from_tensor(mapping, *args, **kwargs)


def index_to_string(tensor: tf.Tensor, mapping: Any, *args: Any, **kwargs: Any) -> tf.Tensor:
    """The strings of `mapping` at some places."""
    return index_to_string_table_from_tensor(mapping, *args, **kwargs).lookup(tensor)


class HashTable(tf.compat.v1.lookup.StaticHashTable):
    """A table that is filled once, by `init`. `shared_name` is not served."""

    def __init__(
        self, initializer: Any, default_value: Any, shared_name: str | None = None, name: str | None = None
    ) -> None:
        _refuse(shared_name)
        super().__init__(initializer, default_value, name=name)

    @property
    def init(self) -> Any:
        """The operation that fills it."""
        return self.initializer


class MutableHashTable(lookup_ops.MutableHashTable):
    """A table that operations change. `shared_name` is not served."""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        shared_name: str | None = None,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
    ) -> None:
        _refuse(shared_name)
        super().__init__(key_dtype, value_dtype, default_value, name=name, checkpoint=checkpoint)


def _refuse(shared_name: str | None) -> None:
    if shared_name is not None:
        raise NotImplementedError("tf2towers: a table that sessions share (shared_name)")
