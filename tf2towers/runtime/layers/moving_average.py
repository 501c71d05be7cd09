"""One step of an exponential moving average, as the operation TF1 put into UPDATE_OPS."""

from __future__ import annotations

from collections.abc import Callable
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


def without_bias_to_zero(variable: Any, value: tf.Tensor, momentum: Any) -> Any:
    """The same average divided by `1 - momentum ** updates` (`zero_debias`; Kingma & Ba 2015, section 3).

    Two more variables hold the average that is not divided, and how many updates there were: `biased` and
    `local_step` in the variable's own scope, as `moving_averages.assign_moving_average` names them in TF1 and TF 2.
    """
    from tensorflow.python.training import moving_averages

    return as_operation(moving_averages.assign_moving_average(variable, value, momentum, zero_debias=True))


def update_in_training(
    variable: Any,
    value: tf.Tensor,
    momentum: Any,
    training: Training,
    towards: Callable[[Any, tf.Tensor, Any], Any] = subtract_towards,
) -> Any:
    """`towards` (a step of the average) where `training` holds; an operation either way."""
    if known_bool(training) is not None:
        return towards(variable, value, momentum)

    def update() -> tf.Tensor:
        with tf.control_dependencies([towards(variable, value, momentum)]):
            return tf.constant(True)

    return as_operation(tf.cond(tf.cast(training, tf.bool), update, lambda: tf.constant(False)))


def as_operation(update: Any) -> Any:
    """The operation behind the result of an assignment (an operation's name is what collection scopes filter on)."""
    if isinstance(update, tf.Operation) or tf.executing_eagerly():
        return update
    return update.op if hasattr(update, "op") else tf.convert_to_tensor(update).op
