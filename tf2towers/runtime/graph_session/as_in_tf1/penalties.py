"""The losses of regularizers, as TensorFlow 1.15 made them: one tensor for each variable."""

from __future__ import annotations

from functools import wraps
from typing import Any

import tensorflow as tf
from tensorflow.python.ops.variable_scope import _VariableStore

_v1 = tf.compat.v1


def one_loss_a_variable() -> None:
    """Lets `tf.get_variable` call a regularizer once, and list the tensor that it gives.

    So did `_VariableStore._get_single_variable` until TensorFlow 1.15. In TF 2 it calls it three times, and lists an
    object that is no `tf.Tensor` and builds the loss anew wherever it is used. A regularizer that puts its loss into
    a collection itself doubled the weight decay so.
    """
    plain = _VariableStore._get_single_variable
    if hasattr(plain, "__wrapped__"):
        return

    @wraps(plain)
    def with_its_loss(store: Any, name: str, *args: Any, regularizer: Any = None, **kwargs: Any) -> Any:
        known = name in store._vars
        variable = plain(store, name, *args, **kwargs)
        if regularizer and not known:
            with (
                _v1.colocate_with(variable),
                tf.name_scope(f"{name}/Regularizer/"),
                tf.init_scope(),
            ):
                loss = regularizer(variable)
            if loss is not None:
                _v1.add_to_collection(_v1.GraphKeys.REGULARIZATION_LOSSES, loss)
        return variable

    _VariableStore._get_single_variable = with_its_loss
