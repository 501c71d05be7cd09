"""Tensors in collections under a name of their own (`tf.contrib.layers.utils`, also `slim.utils`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1


def collect_named_outputs(collections: Any, alias: str, outputs: tf.Tensor) -> tf.Tensor:
    """Adds `outputs` to each collection (a name, a list of names or None) and returns it."""
    if collections:
        append_tensor_alias(outputs, alias)
        v1.add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor: tf.Tensor, alias: str) -> tf.Tensor:
    """Gives the tensor one more alias."""
    tensor.aliases = [*getattr(tensor, "aliases", []), alias.rstrip("/")]
    return tensor


def get_tensor_aliases(tensor: tf.Tensor) -> list[str]:
    """The tensor's aliases, or the name of its operation where it has none."""
    if hasattr(tensor, "aliases"):
        return list(tensor.aliases)
    return [tensor.op.name if tensor.name.endswith(":0") else tensor.name]


def convert_collection_to_dict(collection: str, clear_collection: bool = False) -> dict[str, tf.Tensor]:
    """The tensors of a collection by alias: the `end_points` of the model zoo."""
    named = {
        alias: tensor for tensor in v1.get_collection(collection) for alias in get_tensor_aliases(tensor)
    }
    if clear_collection:
        v1.get_default_graph().clear_collection(collection)
    return named


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """The collections of the variable called `name`: one list for all, or a dictionary by name."""
    return (
        variables_collections.get(name) if isinstance(variables_collections, dict) else variables_collections
    )


def add_variable_to_collections(variable: Any, variables_collections: Any, name: str) -> None:
    """Adds the variable to the collections chosen for `name`, once."""
    for collection in get_variable_collections(variables_collections, name) or []:
        if not any(variable is other for other in v1.get_collection(collection)):
            v1.add_to_collection(collection, variable)


def two_element_tuple(int_or_tuple: Any) -> tuple[int, int]:
    """(height, width) of an int, a list of two or a shape of rank two."""
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    if isinstance(int_or_tuple, (list, tuple, tf.TensorShape)) and len(int_or_tuple) == 2:
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    raise ValueError("Must be an int, a list with 2 elements or a TensorShape of length 2")


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """`value` as `n` positive integers: a number stands for all of them, a sequence has as many."""
    if n < 1 or int(n) != n:
        raise ValueError("n must be a positive integer")
    try:
        values = (int(value),) * int(n)
    except (TypeError, ValueError):
        values = tuple(int(each) for each in value)
    if len(values) != n or min(values) < 1:
        raise ValueError(f"Expected sequence of {n} positive integers, but received {value!r}")
    return values


def constant_value(value_or_tensor_or_var: Any, dtype: Any = None) -> Any:
    """What is known of a value before anything runs: None for a variable, and for a tensor that is computed."""
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    is_variable = isinstance(value, tf.Variable)
    if not (is_variable or tf.is_tensor(value)):
        return value
    if dtype and value.dtype != dtype:
        raise ValueError(f"It has the wrong type {value.dtype} instead of {dtype}")
    return None if is_variable else tf.get_static_value(value)


def static_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """`fn1()` or `fn2()`, by a value that is known."""
    if not (callable(fn1) and callable(fn2)):
        raise TypeError(f"{'fn2' if callable(fn1) else 'fn1'} must be callable.")
    return fn1() if pred else fn2()


def smart_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None) -> Any:
    """`static_cond` where the predicate is known, else `tf.cond`."""
    known = constant_value(pred)
    return v1.cond(pred, fn1, fn2, name=name) if known is None else static_cond(known, fn1, fn2)


def last_dimension(shape: tf.TensorShape, min_rank: int = 1) -> int:
    """The size of the last dimension, which must be known."""
    return known_dimension(shape, -1, min_rank)


def channel_dimension(shape: tf.TensorShape, data_format: str, min_rank: int = 1) -> int:
    """The number of channels, which must be known; `data_format` as layers write it ('channels_first', ...)."""
    return known_dimension(shape, 1 if data_format == "channels_first" else -1, min_rank)


def known_dimension(shape: tf.TensorShape, dimension: int, min_rank: int) -> int:
    """The size of a dimension. Raises ValueError where it or the rank is unknown, or the rank too small."""
    if shape.rank is None:
        raise ValueError("dims of shape must be known but is None")
    if shape.rank < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {shape.rank}")
    size = tf.compat.dimension_value(shape[dimension])
    if size is None:
        raise ValueError(f"dimension {dimension} of shape must be known but is None: {shape}")
    return int(size)


def layer_data_format(data_format: str | None) -> str:
    """'NCHW' and its kin as the layers call them: 'channels_first'; everything else 'channels_last'."""
    return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"
