"""Operations: where a script built them, and how their type is defined."""

from __future__ import annotations

from typing import Any

from tf2towers.runtime.patches.private import look_up, private


def control_flow_context(operation: Any) -> Any:
    """The `tf.cond` or `tf.while_loop` around an operation, or None; a private attribute."""
    return look_up(operation, "_get_control_flow_context", "tf.cond and tf.while_loop")()


def original_operation(operation: Any) -> Any:
    """The operation whose gradient an operation is for, or None; a private attribute."""
    return look_up(operation, "_original_op", "tf.gradients")


def context_of_outputs(operation: Any) -> Any:
    """The `tf.cond` or `tf.while_loop` that an operation's outputs are in, or None; an `Exit` is in a loop itself."""
    context = control_flow_context(operation)
    if operation.type != "Exit" or context is None:
        return context
    return look_up(context, "outer_context", "tf.while_loop")


def in_loop(operation: Any, outputs: bool = False) -> bool:
    """True if an operation, or its outputs, are in a `tf.while_loop`, or in a branch inside one."""
    context = context_of_outputs(operation) if outputs else control_flow_context(operation)
    return (
        context is not None and context.GetWhileContext() is not None
        if hasattr(context, "GetWhileContext")
        else False
    )


def definition_of(kind: str) -> Any:
    """The OpDef of a type of operations, or None if there is no such type."""
    return private("framework.op_def_registry", "a cluster of parameter servers").get(kind)
