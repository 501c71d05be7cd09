"""Rewrites the errors of a run as TF1 raised them: the cause first, with the graph's operation."""

from __future__ import annotations

import re

import tensorflow as tf

from tf2towers.runtime.graph_session.graph_nodes import built_at

#: text in TensorFlow 2's message for the functions that an error has passed through, and for the
#: called op
_FUNCTIONS = re.compile(r"\{\{function_node [^}]+\}\}[ ]?| \[Op:\w+\]\s*$")
_NODE = re.compile(r"\{\{node ([^}]+)\}\}")
_UNINITIALIZED = re.compile(
    r"(?:Could not find variable|Error while reading resource variable) (\S+?)(?:\. | from )"
    r".*?uninitialized.*?(?=\n\t \[\[|$)",
    re.DOTALL,
)


def in_tf1s_words(error: tf.errors.OpError, graph: tf.Graph) -> tf.errors.OpError:
    """The error as TF1 raised it: with the graph's operation, and the cause first.

    TensorFlow 2's message names nodes of a function, and begins with the function.
    """
    cause = _FUNCTIONS.sub("", error.message)
    cause = _UNINITIALIZED.sub(r"Attempting to use uninitialized value \1", cause)
    operations = {name: _operation(graph, name) for name in _NODE.findall(cause)}

    def in_script(found: re.Match[str]) -> str:
        operation = operations[found[1]]
        return found[0] if operation is None else f"node {operation.name} (defined at {built_at(operation)}) "

    operation = next(iter(operations.values()), None)
    node = operation.node_def if operation is not None else None
    return type(error)(node, operation, _NODE.sub(in_script, cause))


def _operation(graph: tf.Graph, name: str) -> tf.Operation | None:
    """The graph's operation for a function's node, whose name may have an additional number."""
    for known in (name, re.sub(r"_\d+$", "", name)):
        try:
            return graph.get_operation_by_name(known)
        except (KeyError, ValueError):
            pass
    return None
