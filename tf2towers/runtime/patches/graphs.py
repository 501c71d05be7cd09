"""Graphs: what scripts read of operations, and find by name."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tensorflow.compat.v1 as _v1  # before this import, `tf.compat.v1` is another object

from tf2towers.runtime.patches.patch import Patch, patch


@patch(
    "gradient_override_map",
    source="framework/ops.py, Graph and Operation",
    test="tests/soundness/scripts/towers/gradients_of_its_own.py",
)
def complete_graphs(changes: Patch) -> None:
    """Gives operations and graphs the private attributes that scripts with own gradients read.

    An operation's `_inputs`, `_outputs` and `_control_inputs` were the values of the public
    attributes, as lists; a graph's `_last_id` was the highest `_id` of its operations.
    `tf.GraphKeys.UPDATE_OPS` held tensors; it now holds operations, whose `op` is the operation
    itself. `gradient_override_map` of gathers includes gathers from variables.
    """
    given: dict[str, Callable[[Any], Any]] = {
        "_inputs": lambda operation: list(operation.inputs),
        "_outputs": lambda operation: list(operation.outputs),
        "_control_inputs": lambda operation: list(operation.control_inputs),
        "op": lambda operation: operation,
    }
    for name, get in given.items():
        if not hasattr(tf.Operation, name):
            changes.set(tf.Operation, name, property(get))
    if not hasattr(tf.Graph, "_last_id"):
        changes.set(
            tf.Graph,
            "_last_id",
            property(lambda graph: max((operation._id for operation in graph.get_operations()), default=0)),
        )

    @changes.around(tf.Graph, "gradient_override_map")
    def override_gathers_from_variables(plain: Any, graph: tf.Graph, op_type_map: Any) -> Any:
        if isinstance(op_type_map, dict):
            gathers = {name: op_type_map[name] for name in ("GatherV2", "GatherNd") if name in op_type_map}
            named = {"Resource" + name.removesuffix("V2"): gradient for name, gradient in gathers.items()}
            op_type_map = {**named, **op_type_map}
        return plain(graph, op_type_map)


@patch(
    "get_tensor_by_name of a variable",
    source="framework/ops.py, Graph.as_graph_element; ops/variables.py, RefVariable.__init__",
    test="tests/soundness/scripts/sessions/variables.py",
)
def variables_by_tensor_name(changes: Patch) -> None:
    """Makes `graph.get_tensor_by_name("w:0")` the variable's memory, as in TF1, not a handle.

    TensorFlow itself looks up `global_step:0` in this way, and refuses a handle. What is returned
    can be assigned to and read as the variable, and is an object of its own, as TF1's tensor was: a
    key beside the variable. `w/read:0`, the input of TF1's ops, is a read that is made when it is
    looked up for the first time, and `w/read` its operation.
    """

    @changes.around(tf.Graph, "get_tensor_by_name")
    def named(by_name: Any, graph: tf.Graph, name: str) -> Any:
        found = by_name(graph, name)
        if found.dtype != tf.resource or found.op.type != "VarHandleOp":
            return found
        keys = _v1.GraphKeys
        of_graph = graph.get_collection(keys.GLOBAL_VARIABLES) + graph.get_collection(keys.LOCAL_VARIABLES)
        of_handle = (variable for variable in of_graph if getattr(variable, "handle", None) is found)
        variable = next(of_handle, None)
        return found if variable is None else _memory_of(variable)

    @changes.around(tf.Graph, "as_graph_element")
    def element(any_element: Any, graph: tf.Graph, obj: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return any_element(graph, obj, *arguments, **options)
        except KeyError:
            variable, read, output = str(obj).rpartition("/read")
            if not read or output not in ("", ":0"):
                raise
            with contextlib.suppress(KeyError):
                operation = any_element(graph, variable, allow_tensor=False)
                if operation.type == "VarHandleOp":
                    _read(operation)
                    return any_element(graph, obj, *arguments, **options)
            raise


def _memory_of(variable: Any) -> Any:
    """Another object for the same variable, always the same one; it is unequal to the variable."""
    if "_tensor_by_name" not in vars(variable):
        memory = object.__new__(type(variable))
        vars(memory).update(vars(variable), _tensor_by_name=memory)
        variable._tensor_by_name = memory
    return variable._tensor_by_name


def _read(handle: tf.Operation) -> None:
    """Adds `w/read`, which reads `w` on its device without waiting, also to a finalized graph."""
    graph = handle.graph
    finalized = graph.finalized
    graph._unsafe_unfinalize()
    with (
        graph.as_default(),
        graph.control_dependencies(None),
        graph.device(None),
        graph.device(handle.device),
    ):
        whole = f"{handle.name}/read/"  # with its slash a name is taken as it is: `w/Read` is there
        tf.raw_ops.ReadVariableOp(resource=handle.outputs[0], dtype=handle.get_attr("dtype"), name=whole)
    if finalized:
        graph.finalize()
