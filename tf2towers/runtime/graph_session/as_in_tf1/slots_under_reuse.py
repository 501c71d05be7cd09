"""Slots and moving averages that are made where variables are reused, as TensorFlow did until 0.12."""

from __future__ import annotations

from functools import wraps
from typing import Any

from tensorflow.python.ops import variable_scope
from tensorflow.python.training import slot_creator


def slots_under_reuse() -> None:
    """Lets optimizers and moving averages make their variables behind a loop of towers that ends with reusing.

    `tf.get_variable_scope().reuse_variables()` in the towers, without a scope around them, is in force behind them,
    too. There `opt.apply_gradients` and `ExponentialMovingAverage.apply` made their variables until TensorFlow 0.12
    (`slot_creator._create_slot_var` called `tf.Variable`); from 1.0 on they stop ("does not exist, or was not created
    with tf.get_variable()").
    """
    create = slot_creator._create_slot_var
    if hasattr(create, "__wrapped__"):
        return

    @wraps(create)
    def create_or_take(*args: Any, **kwargs: Any) -> Any:
        try:
            return create(*args, **kwargs)
        except ValueError as error:
            scope = variable_scope.get_variable_scope()
            if scope.reuse is not True or "does not exist" not in str(error):
                raise
            scope._reuse = False  # of this slot's own scope
            return create(*args, **kwargs)

    slot_creator._create_slot_var = create_or_take
