"""Shows variables to a device function as TF1's ops: it chooses a device by the op's type.

Examples are `replica_device_setter(ps_ops=["Variable", "VariableV2"])`, `if op.type ==
"VariableV2": return "/job:ps/task:0"`, and a load function that reads `op.outputs[0].shape`. The
variables here are resource variables, with other op types; without this they would be on the
worker, not shared.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

#: the type of a variable's operation here, and in TF1
_HERE, _IN_TF1 = "VarHandleOp", "VariableV2"


class _Output:
    """The output of TF1's operation: the variable's value."""

    def __init__(self, operation: Any, tensor: Any) -> None:
        self._tensor = tensor
        self.dtype = tf.dtypes.as_dtype(operation.get_attr("dtype"))
        self.shape = tf.TensorShape(operation.get_attr("shape"))

    def get_shape(self) -> tf.TensorShape:
        """The variable's shape."""
        return self.shape

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tensor, name)


class _InTf1:
    """A variable's operation as in TF1; its other attributes are the operation's own."""

    def __init__(self, operation: Any) -> None:
        object.__setattr__(self, "_operation", operation)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return tf.Operation

    @property
    def type(self) -> str:
        """The type in TF1."""
        return _IN_TF1

    @property
    def node_def(self) -> Any:
        """The NodeDef, with the type in TF1."""
        definition = self._operation.node_def
        definition.op = _IN_TF1
        return definition

    @property
    def outputs(self) -> list[_Output]:
        """The variable's value."""
        return [_Output(self._operation, tensor) for tensor in self._operation.outputs]

    def values(self) -> tuple[_Output, ...]:
        """The outputs."""
        return tuple(self.outputs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._operation, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._operation, name, value)


def show_tf1s_variables(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wraps a device function so that it sees variables as in TF1."""

    @functools.wraps(function)
    def choose_device(operation: Any) -> Any:
        return function(_InTf1(operation) if operation.type == _HERE else operation)

    return choose_device
