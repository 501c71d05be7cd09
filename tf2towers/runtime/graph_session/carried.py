"""What sessions keep, over the moment when their process is connected to a cluster.

TensorFlow leaves a process its devices then, and empties them of what has a name. TF1's sessions without a target knew
nothing of the servers of their process.
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
        kept: the nodes that make what it keeps, with the names, containers and devices that these have here.
    """

    kept: dict[tuple[str, str], Any]

    def lose(self, names: set[tuple[str, str]]) -> None:
        """Those of `kept` no longer exist."""


#: those of this process
sessions: weakref.WeakSet[Any] = weakref.WeakSet()


@contextlib.contextmanager
def carried() -> Iterator[None]:
    """Variables have the value after it that they had before; `Keeping.lose` gets what sessions have lost.

    A queue, an iterator or a table has no value that could be taken along. To be called in eager mode.
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
