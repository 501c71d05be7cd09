"""Python functions as operations of the step that is recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import context


def python_op(function: Callable[..., Any], tensors: Sequence[Any], dtypes: Any) -> Any:
    """`tf.numpy_function`, in this process.

    Under a parameter server's strategy an operation may be placed beside a variable, on a server, which has no such
    function.
    """
    if not hasattr(tf.distribute.get_strategy(), "_is_parameter_server_strategy_v2"):
        return tf.numpy_function(function, list(tensors), dtypes)
    here = f"{context.context().host_address_space()}/device:CPU:0"
    with tf.compat.v1.colocate_with(None, ignore_existing=True), tf.device(here):
        return tf.numpy_function(function, list(tensors), dtypes)
