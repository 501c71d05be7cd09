"""The gradients of `function.Defun`s, as functions that are called by name."""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def call_gradients(definition: Any) -> None:
    """Has each `SymbolicGradient` of a graph's definition call the function that computes it.

    The operation finds a function's gradient in the library of its graph, or derives it there; the library of the
    process, where a run's function goes, keeps neither.
    """
    library = definition.library
    gradients = {entry.function_name: entry.gradient_func for entry in library.gradient}
    pending = list(definition.node) + [node for function in library.function for node in function.node_def]
    while pending:
        node = pending.pop()
        if node.op != "SymbolicGradient":
            continue
        name = node.attr["f"].func.name
        if name not in gradients:
            library.function.append(_derived(library, name))
            pending += library.function[-1].node_def
            gradients[name] = library.function[-1].signature.name
        node.op = "StatefulPartitionedCall"
        node.attr["f"].func.name = gradients[name]


def _derived(library: Any, name: str) -> Any:
    """The gradient of a function: of its inputs and of the gradients of its outputs, the gradients of its inputs."""
    from tensorflow.python.framework.function_def_to_graph import function_def_to_graph
    from tensorflow.python.framework.graph_to_function_def import graph_to_function_def

    (function,) = (function for function in library.function if function.signature.name == name)
    with tf.Graph().as_default():
        tf.graph_util.import_graph_def(tf.compat.v1.GraphDef(library=library))
        graph = function_def_to_graph(function)
    with graph.as_default():
        of_outputs = [tf.compat.v1.placeholder(output.dtype, output.shape) for output in graph.outputs]
        of_inputs = tf.gradients(
            graph.outputs, graph.inputs, of_outputs, unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        of_inputs = [tf.identity(gradient) for gradient in of_inputs]  # one may be an input itself
    inputs = [*graph.inputs, *of_outputs]
    given = {tensor.op for tensor in inputs}
    made = [operation for operation in graph.get_operations() if operation not in given]
    derived = graph_to_function_def(graph, made, inputs, of_inputs)
    derived.signature.name = f"{name}_gradient"
    while any(function.signature.name == derived.signature.name for function in library.function):
        derived.signature.name += "_"
    return derived
