"""Layers with few variables or none (`tf.contrib.layers.dropout`, `flatten`, `softmax`, `one_hot_encoding`, ...)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers import shaping
from tf2towers.runtime.slim.arg_scopes import add_arg_scope
from tf2towers.runtime.slim.initializers import ZEROS
from tf2towers.runtime.slim.utils import collect_named_outputs, get_variable_collections, last_dimension
from tf2towers.runtime.slim.variables import model_variable, model_variable_getter

v1 = tf.compat.v1


@add_arg_scope
def dropout(
    inputs: tf.Tensor,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> tf.Tensor:
    """`tf.contrib.layers.dropout`: keeps a fraction `keep_prob`, scaled by 1 / keep_prob, in training."""
    with v1.variable_scope(scope, "Dropout", [inputs], custom_getter=model_variable_getter()) as sc:
        inputs = tf.convert_to_tensor(inputs)
        layer = shaping.Dropout(1 - keep_prob, noise_shape, seed, name=sc.name, _scope=sc)
        return collect_named_outputs(outputs_collections, sc.name, layer(inputs, training=is_training))


@add_arg_scope
def flatten(inputs: tf.Tensor, outputs_collections: Any = None, scope: Any = None) -> tf.Tensor:
    """`tf.contrib.layers.flatten`: (batch, ...) -> (batch, product of the rest)."""
    with v1.name_scope(scope, "Flatten", [inputs]) as sc:
        return collect_named_outputs(outputs_collections, sc, shaping.flatten(tf.convert_to_tensor(inputs)))


@add_arg_scope
def bias_add(
    inputs: tf.Tensor,
    activation_fn: Callable[..., Any] | None = None,
    initializer: Any = ZEROS,
    regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.bias_add`: variable `BiasAdd/biases`, one element a channel."""
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with v1.variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as sc:
        inputs = tf.convert_to_tensor(inputs)
        if inputs.shape.rank is None:
            raise ValueError("Dims of shape must be known but is None")
        if inputs.shape.rank != 4 and data_format == "NCHW":
            raise ValueError("Data format NCHW only supports 4D Tensor")
        channels = inputs.shape.as_list()[1 if data_format == "NCHW" else -1]
        if channels is None:
            raise ValueError("`C` dimension must be known but is None")
        biases = model_variable(
            "biases",
            shape=[channels],
            dtype=inputs.dtype,
            initializer=initializer,
            regularizer=regularizer,
            collections=get_variable_collections(variables_collections, "biases"),
            trainable=trainable,
        )
        outputs = tf.nn.bias_add(inputs, biases, data_format=data_format)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def one_hot_encoding(
    labels: tf.Tensor,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: Any = None,
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.one_hot_encoding`: integer (batch,) -> float32 (batch, num_classes)."""
    with v1.name_scope(scope, "OneHotEncoding", [labels, num_classes]) as sc:
        labels = tf.convert_to_tensor(labels)
        if labels.dtype == tf.int32:
            labels = tf.cast(labels, tf.int64)
        outputs = tf.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def softmax(logits: tf.Tensor, scope: Any = None) -> tf.Tensor:
    """`tf.contrib.layers.softmax`: over the last dimension, whatever the rank."""
    with v1.variable_scope(scope, "softmax", [logits]):
        rows = tf.reshape(logits, [-1, last_dimension(logits.shape, min_rank=2)])
        predictions = tf.reshape(tf.nn.softmax(rows), tf.shape(logits))
        predictions.set_shape(logits.shape)
        return predictions


@add_arg_scope
def unit_norm(inputs: tf.Tensor, dim: int, epsilon: float = 1e-7, scope: Any = None) -> tf.Tensor:
    """`tf.contrib.layers.unit_norm`: inputs / sqrt(epsilon + sum of squares along `dim`).

    Raises:
        ValueError: the rank is unknown, or `dim` is negative or not smaller than it.
    """
    with v1.variable_scope(scope, "UnitNorm", [inputs]):
        rank = inputs.shape.rank
        if not rank:
            raise ValueError("The input rank must be known.")
        if not 0 <= dim < rank:
            raise ValueError("dim must be positive but smaller than the input rank.")
        lengths = tf.sqrt(epsilon + tf.reduce_sum(tf.square(inputs), dim, True))
        multiples = [tf.shape(inputs)[i] if i == dim else 1 for i in range(rank)]
        return tf.divide(inputs, tf.tile(lengths, tf.stack(multiples)), name="div")


@add_arg_scope
def maxout(inputs: tf.Tensor, num_units: int, axis: int = -1, scope: Any = None) -> tf.Tensor:
    """`tf.contrib.layers.maxout`: the maximum over groups of features; `num_units` groups.

    Raises:
        ValueError: the number of features is no multiple of `num_units`.
    """
    with v1.variable_scope(scope, "MaxOut", [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        shape = inputs.shape.as_list()
        if shape[axis] % num_units:
            raise ValueError(f"number of features({shape[axis]}) is not a multiple of num_units({num_units})")
        group = shape[axis] // num_units
        shape[axis] = num_units
        sizes = [tf.shape(inputs)[i] if size is None else size for i, size in enumerate(shape)]
        return tf.reduce_max(tf.reshape(inputs, [*sizes, group]), -1)
