"""Python functions as operations of the step that is recorded, and what they note for a recorder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
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


class Notes:
    """The arrays of the training step that is under way; nothing is kept of other calls.

    Keys are those of a recording's step file, as 'loss|0'. What several replicas note under one key is added up.
    """

    def __init__(self) -> None:
        self._now: dict[str, list[np.ndarray]] | None = None

    def begin(self) -> None:
        """A training step begins."""
        self._now = {}

    def end(self) -> dict[str, np.ndarray]:
        """The step's arrays."""
        found, self._now = self._now or {}, None
        return {key: _total(values) for key, values in found.items()}

    def op(self, keys: Sequence[str], tensors: Sequence[Any], change: Callable[[Any], Any] = np.array) -> Any:
        """An op that notes the values of tensors, each under its key."""

        def note(*values: Any) -> None:
            now = self._now
            if now is not None:
                for key, value in zip(keys, values, strict=True):
                    now.setdefault(key, []).append(change(value))

        return python_op(note, tensors, [])


def _total(values: list[np.ndarray]) -> np.ndarray:
    total = values[0]
    for value in values[1:]:  # an optimizer sums what its replicas give it
        total = total + value
    return total
