"""`tf.assert_variables_initialized`: an operation that fails while a variable has no value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

_v1 = tf.compat.v1


def assert_variables_initialized(var_list: Sequence[Any] | None = None) -> tf.Tensor | None:
    """The ranks of the variables; a run of it raises a FailedPreconditionError where one has no value yet.

    TensorFlow's own asks for the ranks alone, which are known of resources without reading them: it never fails.
    """
    variables = list(var_list or ()) or [*_v1.global_variables(), *_v1.local_variables()]
    if not variables:
        return None
    with tf.control_dependencies([variable.read_value() for variable in variables]):
        ranks = [tf.rank(variable) for variable in variables]
        return tf.identity(ranks[0] if len(ranks) == 1 else tf.stack(ranks))
