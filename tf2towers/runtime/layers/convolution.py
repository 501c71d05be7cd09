"""Convolutions of one, two and three spatial dimensions (`tf.layers.conv1d`, `conv2d`, `conv3d`)."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.arguments import (
    activation_function,
    data_format_name,
    int_tuple,
    kernel_data_format,
    known_channels,
    padding_name,
)
from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.base import InputSpec, Layer
from tf2towers.runtime.layers.types import Activation, Constraint, Initializer, Ints, Regularizer


class Convolution(Layer):
    """What all convolutions share. A subclass states its number of spatial dimensions as `rank`."""

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Ints,
        strides: Ints = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: Ints = 1,
        activation: Activation = None,
        use_bias: bool = True,
        kernel_initializer: Initializer = None,
        bias_initializer: Initializer = "zeros",
        kernel_regularizer: Regularizer = None,
        bias_regularizer: Regularizer = None,
        activity_regularizer: Regularizer = None,
        kernel_constraint: Constraint = None,
        bias_constraint: Constraint = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.filters = filters
        self.kernel_size = int_tuple(kernel_size, self.rank, "kernel_size")
        self.strides = int_tuple(strides, self.rank, "strides")
        self.padding = padding_name(padding, causal=self.rank == 1)
        self.data_format = data_format_name(data_format)
        self.dilation_rate = int_tuple(dilation_rate, self.rank, "dilation_rate")
        self.activation = activation_function(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.input_spec = InputSpec(ndim=self.rank + 2)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """`kernel`: kernel_size + (input channels, filters); `bias`: (filters,)."""
        self.kernel = self.add_weight(
            "kernel",
            shape=(*self.kernel_size, known_channels(input_shape, self.data_format), self.filters),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.build_bias()
        self.built = True

    def build_bias(self) -> None:
        """`bias`, where the layer has one."""
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=(self.filters,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        """(batch, spatial..., channels), or channels second, to the same with `filters` channels."""
        outputs = tf.nn.convolution(
            self.pad_causally(inputs),
            self.kernel,
            strides=self.strides,
            padding=self.kernel_padding,
            data_format=kernel_data_format(self.data_format, self.rank),
            dilations=self.dilation_rate,
            name={1: "conv1d", 2: "Conv2D", 3: "Conv3D"}[self.rank],
        )
        return self.finish(outputs)

    @property
    def kernel_padding(self) -> str:
        """What the kernel is told: causal padding was done before it."""
        return "VALID" if self.padding == "causal" else self.padding.upper()

    def pad_causally(self, inputs: tf.Tensor) -> tf.Tensor:
        """Zeros in front of the sequence, so that no output sees its future; only where that was asked for."""
        if self.padding != "causal":
            return inputs
        front = [self.dilation_rate[0] * (self.kernel_size[0] - 1), 0]
        return tf.pad(
            inputs,
            [[0, 0], front, [0, 0]] if self.data_format == "channels_last" else [[0, 0], [0, 0], front],
        )

    def finish(self, outputs: tf.Tensor) -> tf.Tensor:
        """Bias and activation."""
        if self.use_bias:
            if self.data_format == "channels_last":
                outputs = tf.nn.bias_add(outputs, self.bias, data_format="NHWC")
            elif self.rank == 1:
                outputs += tf.reshape(self.bias, (1, self.filters, 1))
            else:
                outputs = tf.nn.bias_add(outputs, self.bias, data_format="NCHW")
        return outputs if self.activation is None else self.activation(outputs)


class Conv1D(Convolution):
    """`tf.layers.Conv1D`: inputs (batch, length, channels), kernel (width, channels, filters)."""

    rank = 1


class Conv2D(Convolution):
    """`tf.layers.Conv2D`: inputs (batch, height, width, channels), kernel (height, width, channels, filters)."""

    rank = 2


class Conv3D(Convolution):
    """`tf.layers.Conv3D`: inputs (batch, depth, height, width, channels)."""

    rank = 3


@unconverted
def conv1d(
    inputs: tf.Tensor,
    filters: int,
    kernel_size: Ints,
    strides: Ints = 1,
    padding: str = "valid",
    data_format: str | None = "channels_last",
    dilation_rate: Ints = 1,
    activation: Activation = None,
    use_bias: bool = True,
    kernel_initializer: Initializer = None,
    bias_initializer: Initializer = "zeros",
    kernel_regularizer: Regularizer = None,
    bias_regularizer: Regularizer = None,
    activity_regularizer: Regularizer = None,
    kernel_constraint: Constraint = None,
    bias_constraint: Constraint = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> tf.Tensor:
    """`tf.layers.conv1d`: (batch, length, channels) -> (batch, new length, filters); variables `kernel`, `bias`."""
    return Conv1D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
        kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )(inputs)  # fmt: skip


@unconverted
def conv2d(
    inputs: tf.Tensor,
    filters: int,
    kernel_size: Ints,
    strides: Ints = (1, 1),
    padding: str = "valid",
    data_format: str | None = "channels_last",
    dilation_rate: Ints = (1, 1),
    activation: Activation = None,
    use_bias: bool = True,
    kernel_initializer: Initializer = None,
    bias_initializer: Initializer = "zeros",
    kernel_regularizer: Regularizer = None,
    bias_regularizer: Regularizer = None,
    activity_regularizer: Regularizer = None,
    kernel_constraint: Constraint = None,
    bias_constraint: Constraint = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> tf.Tensor:
    """`tf.layers.conv2d`: (batch, height, width, channels) -> (..., filters); variables `kernel`, `bias`."""
    return Conv2D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
        kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )(inputs)  # fmt: skip


@unconverted
def conv3d(
    inputs: tf.Tensor,
    filters: int,
    kernel_size: Ints,
    strides: Ints = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = "channels_last",
    dilation_rate: Ints = (1, 1, 1),
    activation: Activation = None,
    use_bias: bool = True,
    kernel_initializer: Initializer = None,
    bias_initializer: Initializer = "zeros",
    kernel_regularizer: Regularizer = None,
    bias_regularizer: Regularizer = None,
    activity_regularizer: Regularizer = None,
    kernel_constraint: Constraint = None,
    bias_constraint: Constraint = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> tf.Tensor:
    """`tf.layers.conv3d`: (batch, depth, height, width, channels) -> (..., filters); variables `kernel`, `bias`."""
    return Conv3D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
        kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )(inputs)  # fmt: skip
