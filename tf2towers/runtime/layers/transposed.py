"""Transposed convolutions, also called deconvolutions (`tf.layers.conv2d_transpose`, `conv3d_transpose`)."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.arguments import kernel_data_format, known_channels
from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.convolution import Convolution
from tf2towers.runtime.layers.types import Activation, Constraint, Initializer, Ints, Regularizer


class TransposedConvolution(Convolution):
    """What both share: the kernel's shape, and the size of the output."""

    def __init__(
        self,
        filters: int,
        kernel_size: Ints,
        strides: Ints = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
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
        super().__init__(
            filters, kernel_size, strides, padding, data_format, 1, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
            kernel_constraint, bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip

    def build(self, input_shape: Any) -> None:
        """`kernel`: kernel_size + (filters, input channels); `bias`: (filters,)."""
        self.kernel = self.add_weight(
            "kernel",
            shape=(*self.kernel_size, self.filters, known_channels(input_shape, self.data_format)),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.build_bias()
        self.built = True

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        """(batch, spatial..., channels) to the size whose convolution with this kernel has the input's size."""
        channels_first = self.data_format == "channels_first"
        static, dynamic = inputs.shape.as_list(), tf.unstack(tf.shape(inputs), num=self.rank + 2)
        first = 2 if channels_first else 1
        static_sizes = [self._output_length(static[first + i], i) for i in range(self.rank)]
        dynamic_sizes = [self._output_length(dynamic[first + i], i) for i in range(self.rank)]
        if channels_first and self.rank == 2 and not tf.config.list_physical_devices("GPU"):
            # As TF1: the CPU has no NCHW kernel.
            outputs = tf.nn.conv2d_transpose(
                tf.transpose(inputs, (0, 2, 3, 1)),
                self.kernel,
                tf.stack([dynamic[0], *dynamic_sizes, self.filters]),
                strides=(1, *self.strides, 1),
                padding=self.padding.upper(),
                data_format="NHWC",
            )
            outputs = tf.transpose(outputs, (0, 3, 1, 2))
        else:
            transpose = tf.nn.conv2d_transpose if self.rank == 2 else tf.nn.conv3d_transpose
            outputs = transpose(
                inputs,
                self.kernel,
                tf.stack(
                    [dynamic[0], self.filters, *dynamic_sizes]
                    if channels_first
                    else [dynamic[0], *dynamic_sizes, self.filters]
                ),
                strides=(1, 1, *self.strides) if channels_first else (1, *self.strides, 1),
                padding=self.padding.upper(),
                data_format=kernel_data_format(self.data_format, self.rank),
            )
        outputs.set_shape(
            [static[0], self.filters, *static_sizes]
            if channels_first
            else [static[0], *static_sizes, self.filters]
        )
        return self.finish(outputs)

    def _output_length(self, length: Any, dimension: int) -> Any:
        if length is None:
            return None
        stride = self.strides[dimension]
        overlap = max(self.kernel_size[dimension] - stride, 0) if self.padding == "valid" else 0
        return length * stride + overlap


class Conv2DTranspose(TransposedConvolution):
    """`tf.layers.Conv2DTranspose`: inputs (batch, height, width, channels); the kernel has its filters third."""

    rank = 2


class Conv3DTranspose(TransposedConvolution):
    """`tf.layers.Conv3DTranspose`: inputs (batch, depth, height, width, channels)."""

    rank = 3


@unconverted
def conv2d_transpose(
    inputs: tf.Tensor,
    filters: int,
    kernel_size: Ints,
    strides: Ints = (1, 1),
    padding: str = "valid",
    data_format: str | None = "channels_last",
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
    """`tf.layers.conv2d_transpose`: (batch, height, width, channels) -> (..., filters), strides times larger."""
    return Conv2DTranspose(
        filters, kernel_size, strides, padding, data_format, activation, use_bias,
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
        kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )(inputs)  # fmt: skip


@unconverted
def conv3d_transpose(
    inputs: tf.Tensor,
    filters: int,
    kernel_size: Ints,
    strides: Ints = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = "channels_last",
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
    """`tf.layers.conv3d_transpose`: (batch, depth, height, width, channels) -> (..., filters)."""
    return Conv3DTranspose(
        filters, kernel_size, strides, padding, data_format, activation, use_bias,
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
        kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )(inputs)  # fmt: skip
