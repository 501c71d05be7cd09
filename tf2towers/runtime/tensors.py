"""Questions to tensors and variables that TF 2 answers otherwise, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session import own_resources

#: the types that TF 1 gave the operations of its variables, where they are not today's without "Resource"
_TYPES = {
    "VarHandleOp": "VariableV2",
    "ReadVariableOp": "Identity",
    "AssignVariableOp": "Assign",
    "AssignAddVariableOp": "AssignAdd",
    "AssignSubVariableOp": "AssignSub",
    "ResourceGather": "GatherV2",
}


def is_sparse(tensor: Any) -> bool:
    """Whether it is a SparseTensor (`tf.keras.backend.is_sparse`)."""
    return isinstance(tensor, tf.SparseTensor)


def class_of(value: Any) -> type:
    """The class that TF 1 gave a value: `tf.Tensor` for a graph's tensors, which have a subclass of it in TF 2."""
    return tf.Tensor if isinstance(value, tf.Tensor) else type(value)


def op_type(operation: Any) -> Any:
    """The type that TF 1 gave an operation, or one of today's type; of what is neither, whatever its `type` is.

    A script that switched resource variables on itself had today's types. Our runtime asks of every variable whether it
    is initialised, which TF 1's graphs did not: that stays what it is.
    """
    found = operation if isinstance(operation, str) else operation.type
    if not isinstance(operation, tf.Operation | str) or own_resources.switched_on:
        return found
    return _TYPES.get(found) or found.removeprefix("Resource")


def assert_variables_initialized(var_list: Sequence[Any] | None = None) -> tf.Tensor | None:
    """The ranks of the variables; a run of it raises a FailedPreconditionError where one has no value yet.

    TensorFlow's own asks for the ranks alone, which are known of resources without reading them: it never fails.
    """
    variables = list(var_list or ()) or [*tf.compat.v1.global_variables(), *tf.compat.v1.local_variables()]
    if not variables:
        return None
    with tf.control_dependencies([variable.read_value() for variable in variables]):
        ranks = [tf.rank(variable) for variable in variables]
        return tf.identity(ranks[0] if len(ranks) == 1 else tf.stack(ranks))
