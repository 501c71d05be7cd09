"""What an assignment gives: TF1's variable itself, after that write.

`tf.gather(tf.scatter_update(w, i, x), j)` and `tf.scatter_add(tf.assign(w, zeros), i, x)` came after the first write.
TensorFlow 2 gives an object that its own methods wait for, and hands on the bare handle elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import tensorflow as tf

#: an attribute of the read that gives what an assignment left
GIVEN = "_given_by_its_write"
#: methods that take the handle, and wait for nothing
_METHODS = ("gather_nd", "sparse_read", "_strided_slice_assign", "is_initialized")


def assignments_give_references() -> None:
    """Makes whatever reads or writes what an assignment gave wait for that assignment."""
    from tensorflow.python.ops import state_ops
    from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable, _UnreadVariable

    if "eval" in vars(_UnreadVariable):
        return
    _UnreadVariable.eval = _value
    _UnreadVariable.value = _marked(_UnreadVariable.value)
    for name in _METHODS:
        setattr(_UnreadVariable, name, _after(getattr(BaseResourceVariable, name)))
    for name in dir(state_ops):
        if name.startswith(("scatter_", "batch_scatter_")) or name == "count_up_to":
            waiting = _after(getattr(state_ops, name))
            for module in (state_ops, tf.compat.v1):
                if hasattr(module, name):
                    setattr(module, name, waiting)


def _value(assigned: Any, feed_dict: Any = None, session: Any = None) -> Any:
    """`tf.assign(variable, placeholder).eval(feed_dict=...)`: a tensor's, in TF1."""
    return assigned.value().eval(feed_dict, session)


def _marked(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def marked(assigned: Any, *arguments: Any, **options: Any) -> Any:
        value = function(assigned, *arguments, **options)
        if tf.is_symbolic_tensor(value) and value.op.type == "ReadVariableOp":  # and no value of eager code
            value.op._set_attr(GIVEN, tf.compat.v1.AttrValue(b=True))
        return value

    return marked


def _after(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def waiting(*arguments: Any, **options: Any) -> Any:
        written = arguments[0] if arguments else options.get("ref")
        with tf.control_dependencies([write for write in [getattr(written, "_parent_op", None)] if write]):
            return function(*arguments, **options)

    return waiting
