"""Convolutions by channel (`tf.contrib.layers.separable_conv2d`, `conv2d_in_plane`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.separable import SeparableConv2D
from tf2towers.runtime.layers.types import Ints
from tf2towers.runtime.slim.arg_scopes import add_arg_scope
from tf2towers.runtime.slim.initializers import XAVIER, ZEROS
from tf2towers.runtime.slim.utils import (
    add_variable_to_collections,
    channel_dimension,
    collect_named_outputs,
    get_variable_collections,
    last_dimension,
    layer_data_format,
    two_element_tuple,
)
from tf2towers.runtime.slim.variables import model_variable, model_variable_getter

v1 = tf.compat.v1

NAMES = {"bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}


@add_arg_scope
def separable_convolution2d(
    inputs: tf.Tensor,
    num_outputs: int | None,
    kernel_size: Ints,
    depth_multiplier: int = 1,
    stride: Ints = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Ints = 1,
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.separable_conv2d`: (batch, height, width, channels) -> (..., num_outputs).

    With `num_outputs` None the pointwise half is left out: channels * depth_multiplier come out.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    getter = model_variable_getter(NAMES)
    with v1.variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = tf.convert_to_tensor(inputs)
        if num_outputs is not None:
            layer = SeparableConv2D(
                num_outputs,
                kernel_size,
                strides=stride,
                padding=padding,
                data_format=layer_data_format(data_format),
                dilation_rate=two_element_tuple(rate),
                depth_multiplier=depth_multiplier,
                use_bias=bool(not normalizer_fn and biases_initializer),
                depthwise_initializer=weights_initializer,
                pointwise_initializer=weights_initializer
                if pointwise_initializer is None
                else pointwise_initializer,
                bias_initializer=biases_initializer,
                depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                trainable=trainable,
                name=sc.name,
                dtype=inputs.dtype,
                _scope=sc,
                _reuse=reuse,
            )
            outputs = layer(inputs)
            add_variable_to_collections(layer.depthwise_kernel, variables_collections, "weights")
            add_variable_to_collections(layer.pointwise_kernel, variables_collections, "weights")
            if layer.bias is not None:
                add_variable_to_collections(layer.bias, variables_collections, "biases")
            if normalizer_fn is not None:
                outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        else:
            channels = channel_dimension(inputs.shape, layer_data_format(data_format), min_rank=4)
            weights = model_variable(
                "depthwise_weights",
                shape=[*two_element_tuple(kernel_size), channels, depth_multiplier],
                dtype=inputs.dtype,
                initializer=weights_initializer,
                regularizer=weights_regularizer,
                trainable=trainable,
                collections=get_variable_collections(variables_collections, "weights"),
            )
            steps = two_element_tuple(stride)
            outputs = v1.nn.depthwise_conv2d(
                inputs,
                weights,
                [1, 1, *steps] if data_format == "NCHW" else [1, *steps, 1],
                padding,
                rate=two_element_tuple(rate),
                data_format=data_format,
            )
            outputs = normalize_or_bias(
                outputs, depth_multiplier * channels, data_format, normalizer_fn, normalizer_params,
                biases_initializer, biases_regularizer, variables_collections, trainable,
            )  # fmt: skip
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def convolution2d_in_plane(
    inputs: tf.Tensor,
    kernel_size: Ints,
    stride: Ints = 1,
    padding: str = "SAME",
    activation_fn: Callable[..., Any] | None = tf.nn.relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tf.Tensor:
    """`tf.contrib.layers.conv2d_in_plane`: one kernel, the same for every channel; `weights` (height, width, 1, 1)."""
    with v1.variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as sc:
        channels = last_dimension(inputs.shape, min_rank=4)
        weights = model_variable(
            "weights",
            shape=[*two_element_tuple(kernel_size), 1, 1],
            dtype=inputs.dtype,
            initializer=weights_initializer,
            regularizer=weights_regularizer,
            collections=get_variable_collections(variables_collections, "weights"),
            trainable=trainable,
        )
        by_channel = tf.tile(weights, [1, 1, channels, 1])
        outputs = v1.nn.depthwise_conv2d(inputs, by_channel, [1, *two_element_tuple(stride), 1], padding)
        outputs = normalize_or_bias(
            outputs, channels, "NHWC", normalizer_fn, normalizer_params,
            biases_initializer, biases_regularizer, variables_collections, trainable,
        )  # fmt: skip
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


def normalize_or_bias(
    outputs: tf.Tensor,
    channels: int,
    data_format: str,
    normalizer_fn: Callable[..., Any] | None,
    normalizer_params: dict[str, Any] | None,
    biases_initializer: Any,
    biases_regularizer: Any,
    variables_collections: Any,
    trainable: bool,
) -> tf.Tensor:
    """The normalizer where there is one, else `biases` where they have an initializer."""
    if normalizer_fn is not None:
        return normalizer_fn(outputs, **(normalizer_params or {}))
    if biases_initializer is None:
        return outputs
    biases = model_variable(
        "biases",
        shape=[channels],
        dtype=outputs.dtype,
        initializer=biases_initializer,
        regularizer=biases_regularizer,
        trainable=trainable,
        collections=get_variable_collections(variables_collections, "biases"),
    )
    return tf.nn.bias_add(outputs, biases, data_format=data_format)


separable_conv2d = separable_convolution2d
conv2d_in_plane = convolution2d_in_plane
