"""A learning rate fed at every step, for an optimizer that outlives the step."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.initial_values import outside_every_graph


class FedRate:
    """What `lr = tf.placeholder(tf.float32, [])` was to an optimizer: a value that the caller gives each time.

    Args:
        dtype: the placeholder's.

    An optimizer takes the object itself as its `learning_rate` (it calls it); `feed` sets the value.
    """

    def __init__(self, dtype: Any = tf.float32) -> None:
        strategy = tf.distribute.get_strategy()

        def build() -> Any:
            with strategy.scope():
                return tf.Variable(tf.zeros([], dtype), trainable=False, name="fed_rate")

        self._value = outside_every_graph(
            build
        )  # and of every VariableStore: TF1 had no such variable to save

    def feed(self, value: Any) -> None:
        """Sets the rate; inside a tf.function too, before `strategy.run`."""
        self._value.assign(tf.cast(value, self._value.dtype))

    def __call__(self) -> Any:
        """The rate, a scalar tensor."""
        return self._value.read_value()
