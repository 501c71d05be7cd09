"""Choosing between two branches by a value that may be known now, or only when the step runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.types import Training


def known_bool(value: Training) -> bool | None:
    """`value` as a Python bool, or None where only the running step knows it."""
    if isinstance(value, tf.Variable):
        return None
    if tf.is_tensor(value):
        constant = tf.get_static_value(value)
        return None if constant is None else bool(constant)
    return bool(value)


def smart_cond(predicate: Training, if_true: Callable[[], Any], if_false: Callable[[], Any]) -> Any:
    """One of the two results, without a `tf.cond` where the predicate is already known."""
    known = known_bool(predicate)
    if known is None:
        return tf.cond(tf.cast(predicate, tf.bool), if_true, if_false)
    return if_true() if known else if_false()
