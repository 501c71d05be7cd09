"""Seeded ops whose kernels keep the position in their sequence: samplers, shuffles, gamma.

In TF1 a session had one kernel for such an op in all its runs. Here each run's function has its own
kernel, and the position cannot be passed to it (`randomness` has the ops that take it as an input).
So each function counts how often the op has drawn in this session, and how often its own kernel has
drawn. First it makes the draws that other functions have made in the meantime, and discards them;
then it makes its own. The numbers are TF1's.

This is right if each draw takes the same number of random numbers: always for candidate samplers,
and for the other ops if all their shapes are known. Draws in branches and loops are not counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.graph_nodes import Nodes, add_constant, add_node
from tf2towers.runtime.graph_session.placement import HOST
from tf2towers.runtime.graph_session.randomness import STATE, initializing_nodes, keeps_its_own_place
from tf2towers.runtime.graph_session.towers import place_of

#: ops with a kernel for CPUs only; and the op whose kernel for GPUs draws other numbers
_ON_HOST = frozenset({"RandomShuffle", "RandomGamma", "RandomPoisson", "RandomPoissonV2"})
_ANYWHERE = frozenset({"Multinomial"})

_int64 = tf.int64.as_datatype_enum
_numbers = itertools.count()


@dataclass
class Counted:
    """The additions to a function for ops that count their draws.

    Attributes:
        made: new nodes.
        begun: counter's variable -> nodes that initialize it; the last of them is the one to run.
        functions: definitions of functions that the nodes call.
        ends: operations to run with the targets.
        alone: the operations that draw a separate sequence in this function.
    """

    made: list[Any] = field(default_factory=list)
    begun: dict[str, list[Any]] = field(default_factory=dict)
    functions: list[Any] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    alone: list[str] = field(default_factory=list)


def catch_up(part: Sequence[Any], nodes: Nodes, elsewhere: Callable[[Any], bool]) -> Counted:
    """Makes ops that keep their position in their kernel continue the session's sequence.

    The nodes of `part` are changed in place. `elsewhere` returns whether a node is in another
    process.
    """
    counted = Counted()
    for node in part:
        if keeps_its_own_place(node):
            if not elsewhere(node) and _takes_the_same_each_time(node, nodes):
                _Catching(node, nodes, counted).build()
            else:
                counted.alone.append(node.name)
    return counted


def _takes_the_same_each_time(node: Any, nodes: Nodes) -> bool:
    if nodes.in_control_flow(node.name):
        return False
    if node.op.endswith("CandidateSampler"):
        return True
    if node.op not in _ON_HOST and (node.op not in _ANYWHERE or place_of(node.device).kind == "GPU"):
        return False
    operation = nodes.graph.get_operation_by_name(node.name)
    return all(tensor.shape.is_fully_defined() for tensor in [*operation.inputs, *operation.outputs])


class _Catching:
    """Replaces an op by a loop over draws, of the outputs, a counter, its limit, the inputs."""

    def __init__(self, node: Any, nodes: Nodes, counted: Counted) -> None:
        self._node = node
        self._counted = counted
        self._name = node.name
        operation = nodes.graph.get_operation_by_name(node.name)
        self._operation = operation.op_def
        self._gives = [output.dtype.as_datatype_enum for output in operation.outputs]
        self._shapes = [output.shape.as_proto() for output in operation.outputs]
        self._takes = [tensor.dtype.as_datatype_enum for tensor in operation.inputs]
        self._types = [*self._gives, _int64, _int64, *self._takes]
        self._number = next(_numbers)

    def build(self) -> None:
        """Replaces the node by the loop that catches up."""
        session = self._variable("draws")
        own = self._variable(f"draws_{self._number}")
        before = self._add("before", "ReadVariableOp", [session], dtype=_int64)
        done = self._add("done", "ReadVariableOp", [own], dtype=_int64)
        one = self._constant("one", 1, _int64)
        after = self._add("after", "AddV2", [before, one], T=_int64)
        times = self._add("times", "Sub", [after, done], T=_int64)
        first = [self._constant(f"first_{index}", 0, kind) for index, kind in enumerate(self._gives)]
        body, condition = self._body(), self._condition()
        node = self._node
        inputs = [text for text in node.input if text[0] != "^"]
        controls = [text for text in node.input if text[0] == "^"]
        del node.input[:]
        node.input.extend([*first, self._constant("zero", 0, _int64), times, *inputs, *controls])
        node.op, node.device = "While", HOST
        node.attr.clear()
        node.attr["T"].list.type.extend(self._types)
        node.attr["body"].func.name, node.attr["cond"].func.name = body, condition
        node.attr["parallel_iterations"].i = 1
        shapes = node.attr["output_shapes"].list.shape
        shapes.extend(self._shapes)
        for _ in self._types[len(shapes) :]:
            shapes.add().unknown_rank = True
        for suffix, variable, ready in (("count", session, before), ("count_own", own, self._name)):
            end = self._add(
                suffix, "AssignVariableOp", [variable, after, f"^{ready}", f"^{done}"], dtype=_int64
            )
            self._counted.ends.append(end)

    def _add(self, suffix: str, op: str, inputs: list[str], **types: int) -> str:
        return str(add_node(self._counted.made, f"{self._name}/{suffix}", op, inputs, HOST, **types).name)

    def _constant(self, suffix: str, value: int, kind: int) -> str:
        dtype = tf.dtypes.as_dtype(kind)
        given = "" if dtype == tf.string else value
        return add_constant(self._counted.made, f"{self._name}/{suffix}", given, dtype, HOST)

    def _variable(self, name: str) -> str:
        """Adds a counter variable that the session keeps; returns the name of its handle."""
        made = self._add(f"{name}{STATE}", "VarHandleOp", [], dtype=_int64)
        attributes = self._counted.made[-1].attr
        attributes["shape"].shape.CopyFrom(tf.TensorShape([]).as_proto())
        attributes["shared_name"].s = made.encode()
        attributes["container"].s = b""
        self._counted.begun[made] = initializing_nodes(made, 0)
        return made

    def _function(self, kind: str) -> Any:
        made = tf.compat.v1.GraphDef().library.function.add()
        made.signature.name = f"draw_{self._number}_{kind}"
        made.signature.is_stateful = True
        for index, value in enumerate(self._types):
            made.signature.input_arg.add(name=f"a{index}", type=value)
        self._counted.functions.append(made)
        return made

    def _body(self) -> str:
        made = self._function("body")
        draw = made.node_def.add()
        draw.CopyFrom(self._node)
        draw.name, draw.device = "draw", ""
        del draw.input[:]
        at = len(self._gives)
        draw.input.extend(f"a{at + 2 + index}" for index in range(len(self._takes)))
        step = made.node_def.add(name="one", op="Const")
        step.attr["dtype"].type = _int64
        step.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(1, tf.int64))
        made.node_def.add(name="next", op="AddV2", input=[f"a{at}", "one:output:0"]).attr["T"].type = _int64
        for index, value in enumerate(self._types):
            made.signature.output_arg.add(name=f"r{index}", type=value)
            made.ret[f"r{index}"] = (
                f"draw:{self._operation.output_arg[index].name}:0" if index < at
                else "next:z:0" if index == at
                else f"a{index}"
            )  # fmt: skip
        return str(made.signature.name)

    def _condition(self) -> str:
        made = self._function("condition")
        at = len(self._gives)
        made.node_def.add(name="more", op="Less", input=[f"a{at}", f"a{at + 1}"]).attr["T"].type = _int64
        made.signature.output_arg.add(name="r", type=tf.bool.as_datatype_enum)
        made.ret["r"] = "more:z:0"
        return str(made.signature.name)
