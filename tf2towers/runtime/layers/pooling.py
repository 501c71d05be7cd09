"""Maxima and means over windows (`tf.layers.max_pooling1d` ... `average_pooling3d`)."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.arguments import data_format_name, int_tuple, kernel_data_format, padding_name
from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.base import InputSpec, Layer
from tf2towers.runtime.layers.types import Ints


class Pooling(Layer):
    """What all six share. A subclass states its number of spatial dimensions and whether it takes the maximum."""

    rank = 2
    maximum = True

    def __init__(
        self,
        pool_size: Ints,
        strides: Ints | None,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = int_tuple(pool_size, self.rank, "pool_size")
        self.strides = int_tuple(pool_size if strides is None else strides, self.rank, "strides")
        self.padding = padding_name(padding)
        self.data_format = data_format_name(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        """(batch, spatial..., channels), or channels second, to the same with fewer places."""
        channels_first = self.data_format == "channels_first"
        if self.rank == 1:  # as a picture of width 1
            axis = 3 if channels_first else 2
            return tf.squeeze(
                self._pool2d(tf.expand_dims(inputs, axis), (*self.pool_size, 1), (*self.strides, 1)), [axis]
            )
        if self.rank == 2:
            return self._pool2d(inputs, self.pool_size, self.strides)
        if channels_first:  # as TF1: 3-D pooling is done with channels last
            inputs = tf.transpose(inputs, (0, 2, 3, 4, 1))
        pool = tf.nn.max_pool3d if self.maximum else tf.nn.avg_pool3d
        outputs = pool(inputs, (1, *self.pool_size, 1), (1, *self.strides, 1), self.padding.upper())
        return tf.transpose(outputs, (0, 4, 1, 2, 3)) if channels_first else outputs

    def _pool2d(self, inputs: tf.Tensor, size: tuple[int, ...], strides: tuple[int, ...]) -> tf.Tensor:
        channels_first = self.data_format == "channels_first"
        pool = tf.compat.v1.nn.max_pool if self.maximum else tf.compat.v1.nn.avg_pool
        return pool(
            inputs,
            ksize=(1, 1, *size) if channels_first else (1, *size, 1),
            strides=(1, 1, *strides) if channels_first else (1, *strides, 1),
            padding=self.padding.upper(),
            data_format=kernel_data_format(self.data_format, 2),
        )


class MaxPooling1D(Pooling):
    """`tf.layers.MaxPooling1D`: inputs (batch, length, channels)."""

    rank, maximum = 1, True


class MaxPooling2D(Pooling):
    """`tf.layers.MaxPooling2D`: inputs (batch, height, width, channels)."""

    rank, maximum = 2, True


class MaxPooling3D(Pooling):
    """`tf.layers.MaxPooling3D`: inputs (batch, depth, height, width, channels)."""

    rank, maximum = 3, True


class AveragePooling1D(Pooling):
    """`tf.layers.AveragePooling1D`: inputs (batch, length, channels)."""

    rank, maximum = 1, False


class AveragePooling2D(Pooling):
    """`tf.layers.AveragePooling2D`: inputs (batch, height, width, channels)."""

    rank, maximum = 2, False


class AveragePooling3D(Pooling):
    """`tf.layers.AveragePooling3D`: inputs (batch, depth, height, width, channels)."""

    rank, maximum = 3, False


@unconverted
def max_pooling1d(
    inputs: tf.Tensor,
    pool_size: Ints,
    strides: Ints,
    padding: str = "valid",
    data_format: str | None = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`tf.layers.max_pooling1d`: (batch, length, channels) -> (batch, new length, channels)."""
    return MaxPooling1D(pool_size, strides, padding, data_format, name)(inputs)


@unconverted
def max_pooling2d(
    inputs: tf.Tensor,
    pool_size: Ints,
    strides: Ints,
    padding: str = "valid",
    data_format: str | None = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`tf.layers.max_pooling2d`: (batch, height, width, channels) -> the same with fewer places."""
    return MaxPooling2D(pool_size, strides, padding, data_format, name)(inputs)


@unconverted
def max_pooling3d(
    inputs: tf.Tensor,
    pool_size: Ints,
    strides: Ints,
    padding: str = "valid",
    data_format: str | None = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`tf.layers.max_pooling3d`: (batch, depth, height, width, channels) -> the same with fewer places."""
    return MaxPooling3D(pool_size, strides, padding, data_format, name)(inputs)


@unconverted
def average_pooling1d(
    inputs: tf.Tensor,
    pool_size: Ints,
    strides: Ints,
    padding: str = "valid",
    data_format: str | None = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`tf.layers.average_pooling1d`: (batch, length, channels) -> (batch, new length, channels)."""
    return AveragePooling1D(pool_size, strides, padding, data_format, name)(inputs)


@unconverted
def average_pooling2d(
    inputs: tf.Tensor,
    pool_size: Ints,
    strides: Ints,
    padding: str = "valid",
    data_format: str | None = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`tf.layers.average_pooling2d`: (batch, height, width, channels) -> the same with fewer places."""
    return AveragePooling2D(pool_size, strides, padding, data_format, name)(inputs)


@unconverted
def average_pooling3d(
    inputs: tf.Tensor,
    pool_size: Ints,
    strides: Ints,
    padding: str = "valid",
    data_format: str | None = "channels_last",
    name: str | None = None,
) -> tf.Tensor:
    """`tf.layers.average_pooling3d`: (batch, depth, height, width, channels) -> the same with fewer places."""
    return AveragePooling3D(pool_size, strides, padding, data_format, name)(inputs)
