"""`tensorflow.python.training.training_ops` of TensorFlow 1.15 (`apply_adam` and its kin), for resource variables.

TF1's operations took reference variables; `tf.raw_ops.ResourceApplyAdam` and its kin do the same to their handles.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1

#: the operands that an operation writes
_WRITTEN = frozenset(
    "var ms mom mg accum accum_update linear m v vhat gradient_accumulator gradient_squared_accumulator".split()  # noqa: SIM905
)


def __getattr__(name: str) -> Callable[..., Any]:
    kernels = {kernel.lower(): kernel for kernel in dir(tf.raw_ops) if "Apply" in kernel}
    kernel = kernels.get("resource" + name.removeprefix("resource_").replace("_", ""))
    if kernel is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    operation = getattr(tf.raw_ops, kernel)
    order = list(inspect.signature(operation).parameters)

    def apply(*args: Any, **kwargs: Any) -> Any:
        """Runs the operation on the variables' handles; the variable's new value, as TF1 gave its reference."""
        given = {**dict(zip(order, args, strict=False)), **kwargs}
        variable = given["var"]
        for part in _WRITTEN & set(given):
            given[part] = getattr(given[part], "handle", given[part])
        done = operation(**given)
        if not hasattr(variable, "read_value"):
            return done
        with v1.control_dependencies([done]):
            return variable.read_value()

    apply.__name__ = kernel
    return apply
