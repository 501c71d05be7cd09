"""The functions in a graph's library, which are added to the process's own library for a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import tensorflow as tf

from tf2towers.runtime.patches.functions import definition_of, graph_of, has_another


def call_gradients(definition: Any) -> None:
    """Makes each `SymbolicGradient` of a GraphDef a call of the function of the gradient.

    This op looks up a function's gradient in the library of its graph, or derives it there. A run's
    function is added to the library of the process, which does neither.
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
    """A function's gradient: takes inputs and the outputs' gradients, returns the inputs'."""
    (function,) = (function for function in library.function if function.signature.name == name)
    with tf.Graph().as_default():
        tf.graph_util.import_graph_def(tf.compat.v1.GraphDef(library=library))
        graph = graph_of(function)
    with graph.as_default():
        of_outputs = [tf.compat.v1.placeholder(output.dtype, output.shape) for output in graph.outputs]
        of_inputs = tf.gradients(
            graph.outputs, graph.inputs, of_outputs, unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        of_inputs = [tf.identity(gradient) for gradient in of_inputs]  # a gradient may be an input itself
    inputs = [*graph.inputs, *of_outputs]
    given = {tensor.op for tensor in inputs}
    made = [operation for operation in graph.get_operations() if operation not in given]
    derived = definition_of(graph, made, inputs, of_inputs)
    derived.signature.name = f"{name}_gradient"
    while any(function.signature.name == derived.signature.name for function in library.function):
        derived.signature.name += "_"
    return derived


def distinct_functions(definition: Any) -> None:
    """Renames those functions of a GraphDef whose names different functions of the process have.

    In TF1 each session had its own library. If `tf.train.import_meta_graph` imports a graph with a
    `Dataset.map` that this process built itself, the function comes again under the same name, but
    differs in some attributes.
    """
    taken = [function.signature.name for function in definition.library.function if has_another(function)]
    number = 1
    while taken:
        renamed = type(definition)()
        renamed.CopyFrom(definition)
        names = {name: f"{name}_{number}" for name in taken}
        rename_functions(renamed.library, renamed.node, names)
        if not any(
            has_another(function)
            for function in renamed.library.function
            if function.signature.name in names.values()
        ):
            definition.CopyFrom(renamed)
            return
        number += 1


def rename_functions(library: Any, nodes: Iterable[Any], names: Mapping[str, str]) -> None:
    """Renames functions, in their library and in the nodes of a graph that call them."""
    for function in library.function:
        function.signature.name = names.get(function.signature.name, function.signature.name)
    for gradient in library.gradient:
        gradient.function_name = names.get(gradient.function_name, gradient.function_name)
        gradient.gradient_func = names.get(gradient.gradient_func, gradient.gradient_func)
    for node in [*nodes, *(node for function in library.function for node in function.node_def)]:
        node.op = names.get(node.op, node.op)
        for called in called_by(node.attr):
            called.name = names.get(called.name, called.name)


def called_by(attributes: Mapping[str, Any]) -> Iterator[Any]:
    """The functions that a node's attributes name, and those that these functions name."""
    for value in attributes.values():
        for function in [value.func] if value.HasField("func") else value.list.func:
            yield function
            yield from called_by(function.attr)
