"""Keeps the variables of sessions when their process connects to a cluster.

On connecting, TensorFlow keeps the devices of a process, but deletes all named resources on them.
In TF1, a session without a target was independent of the servers of its process.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from typing import Any, Protocol

import tensorflow as tf


class Keeping(Protocol):
    """A session.

    Attributes:
        kept: (name, device) -> the node that makes a resource of the session, with its container
            and device here.
    """

    kept: dict[tuple[str, str], Any]

    def lose(self, names: set[tuple[str, str]]) -> None:
        """Notes that these resources of `kept` no longer exist."""


#: the sessions of this process
sessions: weakref.WeakSet[Any] = weakref.WeakSet()


@contextlib.contextmanager
def carried() -> Iterator[None]:
    """Restores variables after the block; `Keeping.lose` is called with what is lost.

    The contents of a queue, an iterator or a table cannot be copied. Must be called in eager mode.
    """
    here: list[Keeping] = list(sessions)
    nodes = [node for session in here for node in session.kept.values() if node.op == "VarHandleOp"]
    values = [(node, value) for node in nodes if (value := _value(node)) is not None]
    yield
    for node, value in values:
        with tf.device(node.device):
            tf.raw_ops.AssignVariableOp(resource=_handle(node), value=tf.identity(value))
    for session in here:
        session.lose({name for name, node in session.kept.items() if node.op != "VarHandleOp"})


def _value(node: Any) -> Any:
    with tf.device(node.device):
        handle = _handle(node)
        if not tf.raw_ops.VarIsInitializedOp(resource=handle).numpy():
            return None
        dtype = tf.dtypes.as_dtype(node.attr["dtype"].type)
        return tf.identity(tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype))


def _handle(node: Any) -> Any:
    return tf.raw_ops.VarHandleOp(
        dtype=tf.dtypes.as_dtype(node.attr["dtype"].type),
        shape=tf.TensorShape(node.attr["shape"].shape),
        container=node.attr["container"].s.decode(),
        shared_name=node.attr["shared_name"].s.decode(),
    )
