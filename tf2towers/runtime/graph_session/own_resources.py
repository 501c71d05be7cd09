"""Which variables were resource variables in TF 1, since the script asked for it.

All variables are resource variables here. A script sees the difference if it fetches a variable
together with its
update: TF1's own variables returned the memory that the update had changed, resource variables the
value before it. What it kept of them by `tf.identity(v)` was that memory, too, or a value. On a
parameter server, TF1's own variables were read at the start of a worker's run, resources where the
graph says so.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

#: set by `graph_mode`, for this process: the script enabled resource variables, all are such
switched_on = False
#: attribute of the handle of a variable that the script asked to be a resource
_ASKED = "_asked_as_resource"


def mark(variable: Any, asked: bool) -> None:
    """Remembers of a new variable in a graph whether the script asked for a resource."""
    handle: Any = getattr(variable, "handle", None)
    if tf.is_symbolic_tensor(handle):
        handle.op._set_attr(_ASKED, tf.compat.v1.AttrValue(b=asked))


def is_own(handle: Any) -> bool:
    """True if the variable whose `VarHandleOp` this NodeDef is was a resource in TF 1."""
    return switched_on or (_ASKED in handle.attr and bool(handle.attr[_ASKED].b))


def is_own_variable(variable: Any) -> bool:
    """True if a variable in a graph was a resource in TF 1."""
    handle: Any = getattr(variable, "handle", None)
    return switched_on or (tf.is_symbolic_tensor(handle) and is_own(handle.op.node_def))


def is_of_own(operation: tf.Operation) -> bool:
    """True if an operation makes or takes the handle of a variable that was a resource in TF 1."""
    handles = [operation, *(tensor.op for tensor in operation.inputs[:1])]
    return switched_on or any(each.type == "VarHandleOp" and is_own(each.node_def) for each in handles)
