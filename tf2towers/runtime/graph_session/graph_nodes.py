"""A graph as nodes by name, and the part of it that a run needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tensorflow as tf

from tf2towers.runtime.graph_session import own_resources
from tf2towers.runtime.graph_session.defined_functions import call_gradients, distinct_functions
from tf2towers.runtime.patches import operations

#: attribute of the read op that returns an assignment's result
GIVEN = "_given_by_its_write"
#: names of the reads that `w.read_value()` makes, and that are made with the variable itself
_READ_VALUE = re.compile(r"(?:^|/)Read(?:_\d+)?/ReadVariableOp(?:_\d+)?$")
#: the scopes in which gradients are made
_OF_GRADIENTS = re.compile(r"(^|/)(gradients(_\d+)?|gradient_tape)/")


class TensorName(NamedTuple):
    """An input of a node, or a tensor: 'node:1', 'node' (output 0), '^node' (control)."""

    node: str
    output: int  # -1: control dependency


def parse(text: str) -> TensorName:
    """An input as written in a NodeDef, or a tensor's name."""
    if text[0] == "^":
        return TensorName(text[1:], -1)
    node, _, output = text.partition(":")
    return TensorName(node, int(output) if output else 0)


def written(name: TensorName) -> str:
    """A tensor name as the text of a NodeDef's input."""
    if name.output < 0:
        return f"^{name.node}"
    return f"{name.node}:{name.output}" if name.output else name.node


def built_at(operation: tf.Operation) -> str:
    """The line of the script that built an operation, 'train.py:12'."""
    libraries = (str(Path(tf.__file__).parent), str(Path(__file__).parents[2]))
    lines = [f"{frame[0]}:{frame[1]}" for frame in operation.traceback if not frame[0].startswith(libraries)]
    return lines[-1] if lines else "built by a library"


class Nodes:
    """The nodes of one graph in the order they were built, in which they can also run.

    Attributes:
        own_resources: True if the script enabled resource variables itself (`own_resources`).
    """

    def __init__(self, graph: tf.Graph) -> None:
        self.graph = graph
        self.own_resources = own_resources.switched_on
        self.version = graph.version
        definition = graph.as_graph_def()
        call_gradients(definition)
        distinct_functions(definition)
        _concatenate_parallel_stacks(definition)
        self.versions = definition.versions
        self.library = definition.library
        self.by_name: dict[str, Any] = {node.name: node for node in definition.node}

    def stateless(self, name: str) -> bool:
        """True if an operation's outputs depend on its inputs only."""
        operation = self.operation(name)
        return operation is not None and not operation.op_def.is_stateful and operation.type != "Placeholder"

    def in_control_flow(self, name: str) -> bool:
        """True if a node is in a `tf.cond`'s branch or a loop: it may run not at all, or often."""
        operation = self.operation(name)
        return operation is not None and operations.control_flow_context(operation) is not None

    def in_loop(self, name: str) -> bool:
        """True if a node is in a `tf.while_loop`, or in a branch inside one."""
        operation = self.operation(name)
        return operation is not None and operations.in_loop(operation)

    def returns_outside(self, name: str, branches: bool) -> bool:
        """True if a node's outputs are outside all loops, as those of an `Exit` may be; and outside all branches.

        Args:
            branches: whether they may be in a branch.
        """
        operation = self.operation(name)
        if operation is None or branches:
            return operation is not None and not operations.in_loop(operation, outputs=True)
        return operations.context_of_outputs(operation) is None

    def is_gradient(self, name: str) -> bool:
        """True if `tf.gradients` or a gradient tape made a node, also in an imported graph."""
        operation = self.operation(name)
        return operation is not None and (
            operations.original_operation(operation) is not None or bool(_OF_GRADIENTS.search(name))
        )

    def variable_read(self, name: str) -> str | None:
        """The variable that a node reads for `Session.run(variable)`; None for any other node."""
        node = self.by_name.get(name)
        if node is None or node.op != "ReadVariableOp":
            return None
        variable = parse(node.input[0]).node
        return variable if name == f"{variable}/Read/ReadVariableOp" else None

    def fed_with(self, name: TensorName) -> list[TensorName]:
        """The tensors whose values a feed sets; feeding a variable sets all its reads.

        In TF1 `w.value()` was one tensor, which all ops on `w` used; each `w.read_value()` was a
        tensor of its own.
        """
        node = self.by_name[name.node]
        variable = node.name if node.op == "VarHandleOp" else self.variable_read(name.node)
        of_value = variable is None and node.op == "ReadVariableOp" and not self.own_resources
        if of_value:
            variable = parse(node.input[0]).node
        if variable is None:
            return [name]
        users = [user.name for user in self.by_name.values() if variable in user.input]
        return [
            TensorName(user, 0)
            for user in users
            if self.by_name[user].op == "ReadVariableOp" and not (of_value and _READ_VALUE.search(user))
        ]

    def operation(self, name: str) -> Any:
        """The operation of this name; None if it is not in the graph."""
        try:
            return self.graph.get_operation_by_name(name)
        except KeyError:
            return None

    def needed(self, targets: Iterable[str], fed: set[TensorName]) -> list[Any]:
        """The nodes that the named nodes need: see the function `needed`."""
        return needed(self.by_name, targets, fed)


def needed(by_name: Mapping[str, Any], targets: Iterable[str], fed: set[TensorName]) -> list[Any]:
    """The nodes, in their order, that the target nodes need when some tensors are fed.

    A node whose outputs are all fed or unused is not needed: a feed replaces the ops that compute
    it, as in TF1.
    """
    found: set[str] = set()
    pending = list(targets)
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        for text in by_name[name].input:
            source = parse(text)
            if source not in fed and source.node not in found and not _fed_wholly(by_name, source, fed):
                pending.append(source.node)
    return [node for name, node in by_name.items() if name in found]


def _fed_wholly(by_name: Mapping[str, Any], name: TensorName, fed: set[TensorName]) -> bool:
    """True if an input is a control dependency on a fed placeholder, which need not run."""
    return name.output < 0 and by_name[name.node].op == "Placeholder" and TensorName(name.node, 0) in fed


def read_once(nodes: Sequence[Any]) -> None:
    """Merges reads of one variable that wait for the same ops: users take the first one's value.

    TF1's variables had one read each. Two such reads may happen at the same moment, so this is one
    of the orders in which the graph may run. TensorFlow then computes and sends equal results once,
    such as a weight decay in each tower. The other reads stay in the graph, for fetches.

    Args:
        nodes: a function's nodes on their devices; their inputs are changed in place.
    """
    first: dict[Any, str] = {}
    same: dict[str, str] = {}
    for node in nodes:
        if node.op == "ReadVariableOp":
            kept = first.setdefault((node.device, *node.input), node.name)
            if kept != node.name:
                same[node.name] = kept
    for node in nodes if same else ():
        for index, text in enumerate(node.input):
            name = parse(text)
            if name.node in same:
                node.input[index] = written(name._replace(node=same[name.node]))


def _concatenate_parallel_stacks(definition: Any) -> None:
    """Replaces each `ParallelConcat` of a GraphDef by a `Concat`, which takes fed placeholders.

    `tf.parallel_stack` needs all shapes when a function is made. A session knew them from the
    graph; in a function, a fed placeholder is of unknown shape.
    """
    if not any(node.op == "ParallelConcat" for node in definition.node):
        return
    nodes: list[Any] = []
    for node in definition.node:
        if node.op == "ParallelConcat" and node.attr["N"].i == 1:  # a Concat needs two inputs or more
            node.op = "Identity"
            del node.attr["N"], node.attr["shape"]
        elif node.op == "ParallelConcat":
            axis = add_constant(nodes, f"{node.name}/of_rows", 0, tf.int32, node.device)
            inputs = list(node.input)
            count = node.attr["N"].i
            del node.input[:]
            node.input.extend([*inputs[:count], axis, *inputs[count:]])
            node.op = "ConcatV2"
            node.attr["Tidx"].type = tf.int32.as_datatype_enum
            del node.attr["shape"]
        nodes.append(node)
    made = [*map(copy_of, nodes)]
    del definition.node[:]
    definition.node.extend(made)


def add_node(made: list[Any], name: str, op: str, inputs: Sequence[str], device: str, **types: int) -> Any:
    """Appends a new node to `made`; `types` are its attributes that are dtypes."""
    node = tf.compat.v1.NodeDef(name=name, op=op, input=inputs, device=device)
    for attribute, dtype in types.items():
        node.attr[attribute].type = dtype
    made.append(node)
    return node


def add_constant(
    made: list[Any], name: str, value: Any, dtype: tf.DType, device: str, inputs: Sequence[str] = ()
) -> str:
    """Appends a constant to `made`; returns its name."""
    node = add_node(made, name, "Const", inputs, device, dtype=dtype.as_datatype_enum)
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, dtype))
    return name


def copy_of(node: Any) -> Any:
    """A copy of a NodeDef."""
    copied = tf.compat.v1.NodeDef()
    copied.CopyFrom(node)
    return copied


def copy_name(name: str, tower: int) -> str:
    """The name of a tower's copy of a variable or operation; the first tower's keeps it."""
    return f"{name}/tower_{tower}" if tower else name
