"""`tf.parallel_stack`, whose operation wants to know every shape when a function is made."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def concatenate_parallel_stacks(definition: Any) -> None:
    """Makes each `ParallelConcat` of a graph's definition a `Concat`, which gives the same and takes fed placeholders.

    A session knew their shapes from the graph; in a function a placeholder that is fed has any shape.
    """
    if not any(node.op == "ParallelConcat" for node in definition.node):
        return
    nodes = []
    for node in definition.node:
        if node.op == "ParallelConcat" and node.attr["N"].i == 1:  # of one a Concat takes nothing
            node.op = "Identity"
            del node.attr["N"], node.attr["shape"]
        elif node.op == "ParallelConcat":
            axis = tf.compat.v1.NodeDef(name=f"{node.name}/of_rows", op="Const", device=node.device)
            axis.attr["dtype"].type = tf.int32.as_datatype_enum
            axis.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(0, tf.int32))
            nodes.append(axis)
            inputs = list(node.input)
            count = node.attr["N"].i
            del node.input[:]
            node.input.extend([*inputs[:count], axis.name, *inputs[count:]])
            node.op = "ConcatV2"
            node.attr["Tidx"].type = tf.int32.as_datatype_enum
            del node.attr["shape"]
        nodes.append(node)
    made = [*map(_copy, nodes)]
    del definition.node[:]
    definition.node.extend(made)


def _copy(node: Any) -> Any:
    copied = tf.compat.v1.NodeDef()
    copied.CopyFrom(node)
    return copied


__all__ = ["concatenate_parallel_stacks"]
