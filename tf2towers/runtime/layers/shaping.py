"""Layers without variables that keep or flatten their input (`tf.layers.dropout`, `tf.layers.flatten`)."""

from __future__ import annotations

from math import prod
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.arguments import data_format_name
from tf2towers.runtime.layers.autograph import unconverted
from tf2towers.runtime.layers.base import InputSpec, Layer
from tf2towers.runtime.layers.control import smart_cond
from tf2towers.runtime.layers.types import Training


class Dropout(Layer):
    """`tf.layers.Dropout`: sets a fraction `rate` to zero and scales the rest by 1 / (1 - rate), only in training."""

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs: tf.Tensor, training: Training = False) -> tf.Tensor:
        """Same shape and dtype as `inputs`."""

        def dropped() -> tf.Tensor:
            return tf.compat.v1.nn.dropout(
                inputs, noise_shape=self._noise_shape(inputs), seed=self.seed, rate=self.rate
            )

        return smart_cond(training, dropped, lambda: tf.identity(inputs))

    def _noise_shape(self, inputs: tf.Tensor) -> Any:
        if self.noise_shape is None or tf.is_tensor(self.noise_shape):
            return self.noise_shape
        sizes = tf.shape(inputs)
        return tf.convert_to_tensor(
            [sizes[i] if size is None else size for i, size in enumerate(self.noise_shape)]
        )


@unconverted
def dropout(
    inputs: tf.Tensor,
    rate: Any = 0.5,
    noise_shape: Any = None,
    seed: int | None = None,
    training: Training = False,
    name: str | None = None,
) -> tf.Tensor:
    """`tf.layers.dropout`: any shape; the input unchanged unless `training`."""
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


class Flatten(Layer):
    """`tf.layers.Flatten`: keeps the batch dimension; channels_first inputs are first turned to channels_last."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format_name(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        """(batch, ...) -> (batch, product of the rest)."""
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = tf.transpose(inputs, [0, *range(2, rank), 1])
        shape = inputs.shape.as_list()
        outputs = tf.reshape(inputs, (shape[0] or tf.shape(inputs)[0], -1))
        outputs.set_shape([shape[0], prod(shape[1:]) if all(shape[1:]) else None])
        return outputs


@unconverted
def flatten(
    inputs: tf.Tensor, name: str | None = None, data_format: str | None = "channels_last"
) -> tf.Tensor:
    """`tf.layers.flatten`: (batch, ...) -> (batch, product of the rest)."""
    return Flatten(data_format, name=name)(inputs)
