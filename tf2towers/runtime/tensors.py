"""Functions on tensors and variables whose results differ in TF 2, or that TF 2 lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session import own_resources

#: type of a resource variable's op -> the type of TF 1's op, where more differs than the prefix
#: "Resource"
_TYPES = {
    "VarHandleOp": "VariableV2",
    "ReadVariableOp": "Identity",
    "AssignVariableOp": "Assign",
    "AssignAddVariableOp": "AssignAdd",
    "AssignSubVariableOp": "AssignSub",
    "ResourceGather": "GatherV2",
}


def is_sparse(tensor: Any) -> bool:
    """True if a value is a SparseTensor (`tf.keras.backend.is_sparse`)."""
    return isinstance(tensor, tf.SparseTensor)


def class_of(value: Any) -> type:
    """The class of a value in TF 1: `tf.Tensor` for a graph's tensors, a subclass in TF 2."""
    return tf.Tensor if isinstance(value, tf.Tensor) else type(value)


def op_type(operation: Any) -> Any:
    """The type in TF 1 of an operation, or of an op type as a string; else their `type`.

    A script saw the types of TF 2 where it asked for resource variables. `VarIsInitializedOp` is
    returned as it is: the runtime adds this op for every variable, and TF 1's graphs lacked it.
    """
    found = operation if isinstance(operation, str) else operation.type
    if isinstance(operation, tf.Operation) and own_resources.is_of_own(operation):
        return found
    if not isinstance(operation, tf.Operation | str) or own_resources.switched_on:
        return found
    return _TYPES.get(found) or found.removeprefix("Resource")


def assert_variables_initialized(var_list: Sequence[Any] | None = None) -> tf.Tensor | None:
    """The variables' ranks; running it raises FailedPreconditionError before their values.

    TensorFlow's function computes the ranks without reading the resource variables, so it never
    fails.
    """
    variables = list(var_list or ()) or [*tf.compat.v1.global_variables(), *tf.compat.v1.local_variables()]
    if not variables:
        return None
    with tf.control_dependencies([variable.read_value() for variable in variables]):
        ranks = [tf.rank(variable) for variable in variables]
        return tf.identity(ranks[0] if len(ranks) == 1 else tf.stack(ranks))
