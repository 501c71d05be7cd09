"""One step of an exponential moving average, as the operation TF1 put into UPDATE_OPS."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.layers.control import known_bool
from tf2towers.runtime.layers.types import Training


def subtract_towards(variable: Any, value: tf.Tensor, momentum: Any) -> Any:
    """`variable -= (variable - value) * (1 - momentum)`; returns the operation that does it.

    `momentum` is a Python float (then `1 - momentum` is taken in double precision, and rounded once) or a
    tensor (then it is taken in the tensor's type): TF1's fused and unfused batch norm differ in exactly this.
    """
    with tf.name_scope("AssignMovingAvg"):
        decay = tf.convert_to_tensor(1.0 - momentum, name="decay")
        if decay.dtype != variable.dtype.base_dtype:
            decay = tf.cast(decay, variable.dtype.base_dtype)
        delta = (variable - tf.cast(value, variable.dtype.base_dtype)) * decay
        return as_operation(variable.assign_sub(delta))


def update_in_training(variable: Any, value: tf.Tensor, momentum: Any, training: Training) -> Any:
    """`subtract_towards` where `training` holds; an operation either way."""
    if known_bool(training) is not None:
        return subtract_towards(variable, value, momentum)

    def update() -> tf.Tensor:
        with tf.control_dependencies([subtract_towards(variable, value, momentum)]):
            return tf.constant(True)

    return as_operation(tf.cond(tf.cast(training, tf.bool), update, lambda: tf.constant(False)))


def as_operation(update: Any) -> Any:
    """The operation behind the result of an assignment (an operation's name is what collection scopes filter on)."""
    if isinstance(update, tf.Operation) or tf.executing_eagerly():
        return update
    return update.op if hasattr(update, "op") else tf.convert_to_tensor(update).op
