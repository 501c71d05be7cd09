"""Depthwise separable convolutions (`tf.layers.separable_conv1d`, `separable_conv2d`)."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.arguments import kernel_data_format, known_channels
from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.convolution import Convolution
from tf2towers.runtime.layers.types import Activation, Constraint, Initializer, Ints, Regularizer


class SeparableConvolution(Convolution):
    """What both share: variables `depthwise_kernel`, `pointwise_kernel`, `bias`."""

    def __init__(
        self,
        filters: int,
        kernel_size: Ints,
        strides: Ints = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: Ints = 1,
        depth_multiplier: int = 1,
        activation: Activation = None,
        use_bias: bool = True,
        depthwise_initializer: Initializer = None,
        pointwise_initializer: Initializer = None,
        bias_initializer: Initializer = "zeros",
        depthwise_regularizer: Regularizer = None,
        pointwise_regularizer: Regularizer = None,
        bias_regularizer: Regularizer = None,
        activity_regularizer: Regularizer = None,
        depthwise_constraint: Constraint = None,
        pointwise_constraint: Constraint = None,
        bias_constraint: Constraint = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            None, bias_initializer, None, bias_regularizer, activity_regularizer,
            None, bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = depthwise_initializer
        self.pointwise_initializer = pointwise_initializer
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: Any) -> None:
        """Depthwise: kernel_size + (channels, multiplier); pointwise: (1, ..., channels * multiplier, filters)."""
        channels = known_channels(input_shape, self.data_format)
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            shape=(1,) * self.rank + (self.depth_multiplier * channels, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )
        self.build_bias()
        self.built = True

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        """(batch, spatial..., channels) to (batch, spatial..., filters)."""
        channels_first = self.data_format == "channels_first"
        depthwise, pointwise = self.depthwise_kernel, self.pointwise_kernel
        strides, dilations = self.strides, self.dilation_rate
        spatial = 2 if channels_first else 1
        if self.rank == 1:  # as a picture of height 1
            inputs = tf.expand_dims(self.pad_causally(inputs), spatial)
            depthwise, pointwise = tf.expand_dims(depthwise, 0), tf.expand_dims(pointwise, 0)
            strides, dilations = strides * 2, (1, *dilations)
        outputs = tf.nn.separable_conv2d(
            inputs,
            depthwise,
            pointwise,
            strides=(1, 1, *strides) if channels_first else (1, *strides, 1),
            padding=self.kernel_padding,
            data_format=kernel_data_format(self.data_format, 2),
            dilations=dilations,
        )
        if self.use_bias:
            outputs = tf.nn.bias_add(outputs, self.bias, data_format=kernel_data_format(self.data_format, 2))
        if self.rank == 1:
            outputs = tf.squeeze(outputs, [spatial])
        return outputs if self.activation is None else self.activation(outputs)


class SeparableConv1D(SeparableConvolution):
    """`tf.layers.SeparableConv1D`: inputs (batch, length, channels)."""

    rank = 1


class SeparableConv2D(SeparableConvolution):
    """`tf.layers.SeparableConv2D`: inputs (batch, height, width, channels)."""

    rank = 2


@unconverted
def separable_conv1d(
    inputs: tf.Tensor,
    filters: int,
    kernel_size: Ints,
    strides: Ints = 1,
    padding: str = "valid",
    data_format: str | None = "channels_last",
    dilation_rate: Ints = 1,
    depth_multiplier: int = 1,
    activation: Activation = None,
    use_bias: bool = True,
    depthwise_initializer: Initializer = None,
    pointwise_initializer: Initializer = None,
    bias_initializer: Initializer = "zeros",
    depthwise_regularizer: Regularizer = None,
    pointwise_regularizer: Regularizer = None,
    bias_regularizer: Regularizer = None,
    activity_regularizer: Regularizer = None,
    depthwise_constraint: Constraint = None,
    pointwise_constraint: Constraint = None,
    bias_constraint: Constraint = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> tf.Tensor:
    """`tf.layers.separable_conv1d`: (batch, length, channels) -> (batch, new length, filters)."""
    return SeparableConv1D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation, use_bias,
        depthwise_initializer, pointwise_initializer, bias_initializer,
        depthwise_regularizer, pointwise_regularizer, bias_regularizer, activity_regularizer,
        depthwise_constraint, pointwise_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )(inputs)  # fmt: skip


@unconverted
def separable_conv2d(
    inputs: tf.Tensor,
    filters: int,
    kernel_size: Ints,
    strides: Ints = (1, 1),
    padding: str = "valid",
    data_format: str | None = "channels_last",
    dilation_rate: Ints = (1, 1),
    depth_multiplier: int = 1,
    activation: Activation = None,
    use_bias: bool = True,
    depthwise_initializer: Initializer = None,
    pointwise_initializer: Initializer = None,
    bias_initializer: Initializer = "zeros",
    depthwise_regularizer: Regularizer = None,
    pointwise_regularizer: Regularizer = None,
    bias_regularizer: Regularizer = None,
    activity_regularizer: Regularizer = None,
    depthwise_constraint: Constraint = None,
    pointwise_constraint: Constraint = None,
    bias_constraint: Constraint = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> tf.Tensor:
    """`tf.layers.separable_conv2d`: (batch, height, width, channels) -> (..., filters)."""
    return SeparableConv2D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation, use_bias,
        depthwise_initializer, pointwise_initializer, bias_initializer,
        depthwise_regularizer, pointwise_regularizer, bias_regularizer, activity_regularizer,
        depthwise_constraint, pointwise_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )(inputs)  # fmt: skip
