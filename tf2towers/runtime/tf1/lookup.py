"""`tf.contrib.lookup` of TensorFlow 1.15: TensorFlow's own tables, with the names and arguments they had there."""

from __future__ import annotations

from typing import Any

# the V1 tables are public, the functions that make one are not: they stand where they stood in TF 1.15
from tensorflow.python.ops import lookup_ops
from tensorflow.python.ops.lookup_ops import *  # noqa: F403 - a face, not a copy


def index_table_from_tensor(mapping: Any, *args: Any, **kwargs: Any) -> Any:
    """A table from the strings (or integers) of `mapping` to their places; TensorFlow's call it `vocabulary_list`."""
    return lookup_ops.index_table_from_tensor(mapping, *args, **kwargs)


def index_to_string_table_from_tensor(mapping: Any, *args: Any, **kwargs: Any) -> Any:
    """A table from places to the strings of `mapping`."""
    return lookup_ops.index_to_string_table_from_tensor(mapping, *args, **kwargs)
