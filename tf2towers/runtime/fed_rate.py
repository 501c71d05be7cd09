"""A learning rate fed at every step, for an optimizer that outlives the step."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


class FedRate:
    """What `lr = tf.placeholder(tf.float32, [])` was to an optimizer: a value that the caller gives each time.

    Args:
        dtype: the placeholder's.

    An optimizer takes the object itself as its `learning_rate` (it calls it); `feed` sets the value.
    """

    def __init__(self, dtype: Any = tf.float32) -> None:
        self._value = tf.Variable(tf.zeros([], dtype), trainable=False, name="fed_rate")

    def feed(self, value: Any) -> None:
        """Sets the rate; inside a tf.function too, before `strategy.run`."""
        self._value.assign(tf.cast(value, self._value.dtype))

    def __call__(self) -> Any:
        """The rate, a scalar tensor."""
        return self._value.read_value()
