"""Maxima and means over windows (`tf.contrib.layers.max_pool2d` and its kin)."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.pooling import (
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling2D,
    MaxPooling3D,
    Pooling,
)
from tf2towers.runtime.layers.types import Ints
from tf2towers.runtime.slim.arg_scopes import add_arg_scope
from tf2towers.runtime.slim.utils import collect_named_outputs, layer_data_format, n_positive_integers

v1 = tf.compat.v1


@add_arg_scope
def avg_pool2d(
    inputs: tf.Tensor,
    kernel_size: Ints,
    stride: Ints = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.avg_pool2d`: (batch, height, width, channels) -> the same with fewer places."""
    return _pool(
        AveragePooling2D,
        "AvgPool2D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def avg_pool3d(
    inputs: tf.Tensor,
    kernel_size: Ints,
    stride: Ints = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.avg_pool3d`: (batch, depth, height, width, channels) -> the same with fewer places."""
    return _pool(
        AveragePooling3D,
        "AvgPool3D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def max_pool2d(
    inputs: tf.Tensor,
    kernel_size: Ints,
    stride: Ints = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.max_pool2d`: (batch, height, width, channels) -> the same with fewer places."""
    return _pool(
        MaxPooling2D,
        "MaxPool2D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def max_pool3d(
    inputs: tf.Tensor,
    kernel_size: Ints,
    stride: Ints = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.max_pool3d`: (batch, depth, height, width, channels) -> the same with fewer places."""
    return _pool(
        MaxPooling3D,
        "MaxPool3D",
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


def _pool(
    layer_class: type[Pooling],
    default_scope: str,
    inputs: tf.Tensor,
    kernel_size: Ints,
    stride: Ints,
    padding: str,
    data_format: str,
    outputs_collections: Any,
    scope: Any,
) -> tf.Tensor:
    allowed = ("NHWC", "NCHW") if layer_class.rank == 2 else ("NDHWC", "NCDHW")
    if data_format not in allowed:
        raise ValueError(f"data_format has to be either {allowed[1]} or {allowed[0]}.")
    with v1.name_scope(scope, default_scope, [inputs]) as sc:
        inputs = tf.convert_to_tensor(inputs)
        layer = layer_class(kernel_size, stride, padding, layer_data_format(data_format), _scope=sc)
        return collect_named_outputs(outputs_collections, sc, layer(inputs))


@add_arg_scope
def pool(
    inputs: tf.Tensor,
    kernel_size: Ints,
    pooling_type: str,
    padding: str = "VALID",
    data_format: str | None = None,
    dilation_rate: Ints = 1,
    stride: Ints = 1,
    outputs_collections: Any = None,
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.pool`: any number of spatial dimensions; `pooling_type` is 'AVG' or 'MAX'."""
    with v1.name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as sc:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank is None or rank < 3:
            raise ValueError(f"Rank of inputs must be known and at least 3, not {rank}")
        outputs = v1.nn.pool(
            input=inputs,
            window_shape=n_positive_integers(rank - 2, kernel_size),
            pooling_type=pooling_type,
            padding=padding,
            data_format=data_format,
            dilation_rate=n_positive_integers(rank - 2, dilation_rate),
            strides=n_positive_integers(rank - 2, stride),
            name=sc,
        )
        return collect_named_outputs(outputs_collections, sc, outputs)
