"""Layers of TF 1.15's `tf.keras.layers` that have no variables, as functions of a graph: Keras 3 makes its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.pooling import average_pooling2d, max_pooling2d
from tf2towers.runtime.layers.shaping import flatten

v1 = tf.compat.v1


class Dropout:
    """`tf.keras.layers.Dropout`: drops where `training` says so; without it Keras's learning phase decided, False."""

    def __init__(
        self, rate: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None
    ) -> None:
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed
        self.name = name or "dropout"

    def __call__(self, inputs: Any, training: Any = None) -> Any:
        """The inputs, with a part of them zero and the others greater in turn while training."""
        with v1.name_scope(self.name):
            inputs = tf.convert_to_tensor(inputs)
            if training is None:
                return tf.identity(inputs)
            return smart_cond(training, lambda: self._dropped(inputs), lambda: tf.identity(inputs))

    def _dropped(self, inputs: tf.Tensor) -> tf.Tensor:
        shape = self.noise_shape
        if shape is not None:
            known = tf.shape(inputs)
            shape = [known[place] if size is None else size for place, size in enumerate(shape)]
        return v1.nn.dropout(inputs, noise_shape=shape, seed=self.seed, rate=self.rate)

    apply = __call__


class _Plain:
    """A layer without variables: a function of its inputs, under its name."""

    def __init__(self, name: str | None, usual: str, options: dict[str, Any]) -> None:
        unknown = set(options) - {"trainable", "dtype", "dynamic"}
        if unknown:
            raise TypeError(f"Keyword argument not understood: {sorted(unknown)[0]}")
        self.name = name or usual

    def __call__(self, inputs: Any) -> Any:
        """What the layer computes of its inputs."""
        with v1.name_scope(self.name):
            return self._computed(tf.nest.map_structure(tf.convert_to_tensor, inputs))

    def _computed(self, inputs: Any) -> Any:
        raise NotImplementedError

    apply = __call__


class Flatten(_Plain):
    """`tf.keras.layers.Flatten`: (batch, ...) -> (batch, product of the rest)."""

    def __init__(self, data_format: str | None = None, name: str | None = None, **options: Any) -> None:
        super().__init__(name, "flatten", options)
        self._format = data_format

    def _computed(self, inputs: tf.Tensor) -> tf.Tensor:
        return flatten(inputs, data_format=self._format)


class _Pooling(_Plain):
    def __init__(
        self,
        pool_size: Any = (2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, self._usual, options)
        self._arguments = (pool_size, pool_size if strides is None else strides, padding, data_format)

    _usual = ""
    _pool: Any = None

    def _computed(self, inputs: tf.Tensor) -> tf.Tensor:
        size, strides, padding, data_format = self._arguments
        return type(self)._pool(inputs, size, strides, padding, data_format or "channels_last")


class MaxPooling2D(_Pooling):
    """`tf.keras.layers.MaxPooling2D`."""

    _usual, _pool = "max_pooling2d", staticmethod(max_pooling2d)


class AveragePooling2D(_Pooling):
    """`tf.keras.layers.AveragePooling2D`."""

    _usual, _pool = "average_pooling2d", staticmethod(average_pooling2d)


class GlobalAveragePooling2D(_Plain):
    """`tf.keras.layers.GlobalAveragePooling2D`: the mean of each channel."""

    def __init__(self, data_format: str | None = None, name: str | None = None, **options: Any) -> None:
        super().__init__(name, "global_average_pooling2d", options)
        self._axes = [2, 3] if data_format == "channels_first" else [1, 2]

    def _computed(self, inputs: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(inputs, axis=self._axes)


class Concatenate(_Plain):
    """`tf.keras.layers.Concatenate`."""

    def __init__(self, axis: int = -1, name: str | None = None, **options: Any) -> None:
        super().__init__(name, "concatenate", options)
        self._axis = axis

    def _computed(self, inputs: Any) -> tf.Tensor:
        return tf.concat(inputs, axis=self._axis)


def concatenate(inputs: Any, axis: int = -1, **options: Any) -> Any:
    """`tf.keras.layers.concatenate`."""
    return Concatenate(axis, **options)(inputs)


MaxPool2D, AvgPool2D = MaxPooling2D, AveragePooling2D


def smart_cond(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None
) -> Any:
    """`tf.cond`, or the branch itself where the predicate is known."""
    value = tf.get_static_value(pred) if tf.is_tensor(pred) else pred
    if value is None:
        return v1.cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if value else false_fn()
