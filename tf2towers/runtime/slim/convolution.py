"""Convolutions (`tf.contrib.layers.conv2d` and its kin): weights, then a normalizer or biases, then an activation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.convolution import Conv1D, Conv2D, Conv3D, Convolution
from tf2towers.runtime.layers.transposed import Conv2DTranspose, Conv3DTranspose, TransposedConvolution
from tf2towers.runtime.layers.types import Ints
from tf2towers.runtime.slim.arg_scopes import add_arg_scope
from tf2towers.runtime.slim.initializers import XAVIER, ZEROS
from tf2towers.runtime.slim.utils import add_variable_to_collections, collect_named_outputs, layer_data_format
from tf2towers.runtime.slim.variables import model_variable_getter

v1 = tf.compat.v1

NAMES = {"kernel": "weights", "bias": "biases"}
DATA_FORMATS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")


@add_arg_scope
def convolution(
    inputs: tf.Tensor,
    num_outputs: int,
    kernel_size: Ints,
    stride: Ints = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Ints = 1,
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
    conv_dims: int | None = None,
) -> tf.Tensor:
    """`tf.contrib.layers.convolution`: (batch, one to three spatial dimensions, channels) -> (..., num_outputs).

    Variables `Conv/weights` and, without a normalizer, `Conv/biases`.
    """
    if data_format not in DATA_FORMATS:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with v1.variable_scope(
        scope, "Conv", [inputs], reuse=reuse, custom_getter=model_variable_getter(NAMES)
    ) as sc:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
        classes: dict[int | None, type[Convolution]] = {3: Conv1D, 4: Conv2D, 5: Conv3D}
        if rank not in classes:
            raise ValueError(f"Convolution not supported for input with rank {rank}")
        layer = classes[rank](
            num_outputs,
            kernel_size,
            strides=stride,
            padding=padding,
            data_format=layer_data_format(data_format),
            dilation_rate=rate,
            use_bias=bool(not normalizer_fn and biases_initializer),
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=sc.name,
            dtype=inputs.dtype,
            _scope=sc,
            _reuse=reuse,
        )
        outputs = layer(inputs)
        return finish(layer, outputs, variables_collections, normalizer_fn, normalizer_params, activation_fn,
                      outputs_collections, sc.name)  # fmt: skip


def finish(
    layer: Any,
    outputs: tf.Tensor,
    variables_collections: Any,
    normalizer_fn: Callable[..., Any] | None,
    normalizer_params: dict[str, Any] | None,
    activation_fn: Callable[..., Any] | None,
    outputs_collections: Any,
    alias: str,
) -> tf.Tensor:
    """What follows every layer with weights: its collections, normalizer, activation and named output."""
    add_variable_to_collections(layer.kernel, variables_collections, "weights")
    if layer.bias is not None:
        add_variable_to_collections(layer.bias, variables_collections, "biases")
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_named_outputs(outputs_collections, alias, outputs)


def _of_rank(dimensions: int) -> Callable[..., tf.Tensor]:
    def fixed(
        inputs: tf.Tensor,
        num_outputs: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: str = "SAME",
        data_format: str | None = None,
        rate: Ints = 1,
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
        return convolution(
            inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn, normalizer_fn,
            normalizer_params, weights_initializer, weights_regularizer, biases_initializer, biases_regularizer,
            reuse, variables_collections, outputs_collections, trainable, scope, conv_dims=dimensions,
        )  # fmt: skip

    # The name is part of the behaviour: `repeat` and `stack` make scopes of it.
    fixed.__name__ = f"convolution{dimensions}d"
    fixed.__doc__ = (
        f"`tf.contrib.layers.conv{dimensions}d`: `convolution` of inputs of rank {dimensions + 2}."
    )
    return add_arg_scope(fixed)


convolution1d = conv1d = _of_rank(1)
convolution2d = conv2d = _of_rank(2)
convolution3d = conv3d = _of_rank(3)


def _transposed(layer_class: type[TransposedConvolution], default_scope: str, default_format: str) -> Any:
    def transposed(
        inputs: tf.Tensor,
        num_outputs: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: str = "SAME",
        data_format: str = default_format,
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
        getter = model_variable_getter(NAMES)
        with v1.variable_scope(scope, default_scope, [inputs], reuse=reuse, custom_getter=getter) as sc:
            allowed = {"NHWC": ("NHWC", "NCHW"), "NDHWC": ("NDHWC", "NCDHW")}[default_format]
            if data_format not in allowed:
                raise ValueError(f"data_format has to be either {allowed[1]} or {allowed[0]}.")
            inputs = tf.convert_to_tensor(inputs)
            layer = layer_class(
                num_outputs,
                kernel_size,
                strides=stride,
                padding=padding,
                data_format=layer_data_format(data_format),
                use_bias=bool(not normalizer_fn and biases_initializer),
                kernel_initializer=weights_initializer,
                bias_initializer=biases_initializer,
                kernel_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                trainable=trainable,
                name=sc.name,
                dtype=inputs.dtype,
                _scope=sc,
                _reuse=reuse,
            )
            outputs = layer(inputs)
            return finish(layer, outputs, variables_collections, normalizer_fn, normalizer_params, activation_fn,
                          outputs_collections, sc.name)  # fmt: skip

    dimensions = layer_class.rank
    transposed.__name__ = f"convolution{dimensions}d_transpose"
    transposed.__doc__ = (
        f"`tf.contrib.layers.conv{dimensions}d_transpose`: `stride` times larger; `weights`, `biases`."
    )
    return add_arg_scope(transposed)


convolution2d_transpose = conv2d_transpose = _transposed(Conv2DTranspose, "Conv2d_transpose", "NHWC")
convolution3d_transpose = conv3d_transpose = _transposed(Conv3DTranspose, "Conv3d_transpose", "NDHWC")
