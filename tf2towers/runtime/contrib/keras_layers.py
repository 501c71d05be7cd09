"""Layers of TF 1.15's `tf.keras.layers` that have no variables, as functions of a graph: Keras 3 makes its own."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.contrib.support import smart_cond

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
