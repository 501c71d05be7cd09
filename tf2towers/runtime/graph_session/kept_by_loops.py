"""Finds what the gradient of a `tf.while_loop` takes of a variable's memory.

A loop keeps what its gradient needs on stacks, one element a round. Where a loop variable begins as
a variable of the model, the element of the first round was that variable's memory in TF1. The
gradient takes it in its last round: it computed with what had been written to the variable by then.
Spectral normalization assigns its vector between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import tensorflow as tf

from tf2towers.runtime.graph_session.graph_nodes import parse
from tf2towers.runtime.graph_session.same_memory import ALL_OF_IT

#: of the loops' counters
_INT32 = tf.int32.as_datatype_enum


class Kept(NamedTuple):
    """What a `StackPopV2` returns of a variable's memory.

    Attributes:
        memory: the tensor whose memory it is: what a loop variable begins with, or what a loop
            reads.
        enter: the `Enter` that brings the stack into the gradient's loop.
        count: the `Sub` that counts the gradient's rounds: its first input is 1 in the last one.
        always: whether each round takes that memory, and not only the last one, which takes what
            the first one kept.
        reshaped: whether its shape may be another one than the variable's.
    """

    memory: str
    enter: Any
    count: Any
    always: bool
    reshaped: bool

    @property
    def source(self) -> str:
        """The node of `memory`."""
        return parse(self.memory).node


def kept_by_loops(nodes: Iterable[Any]) -> dict[str, Kept]:
    """The `StackPopV2` of the gradients of a graph's loops that take such memory back, by name.

    Those of a loop in another loop are not found.
    """
    by_name = {node.name: node for node in nodes}
    counts = _counts_of_rounds(by_name)
    pushed: dict[str, Any] = {}
    for node in by_name.values():
        if node.op == "StackPushV2" and (enter := _entered(by_name, node)) is not None:
            pushed[_stack(by_name, enter)] = node
    found = {}
    for node in by_name.values():
        if node.op != "StackPopV2" or (enter := _entered(by_name, node)) is None:
            continue
        push = pushed.get(_stack(by_name, enter))
        count = counts.get(enter.attr["frame_name"].s)
        if push is None or count is None:
            continue
        source, reshaped = handed_on(by_name, push.input[1])
        if source is None:
            continue
        if source.op == "ReadVariableOp" or (source.op == "Enter" and source.attr["is_constant"].b):
            memory = source.name if source.op == "ReadVariableOp" else source.input[0]
            found[node.name] = Kept(memory, enter, count, True, reshaped)
        elif source.op == "Merge":
            begin, again = (by_name.get(parse(text).node) for text in source.input[:2])
            if begin is not None and begin.op == "Enter" and again is not None:
                last, again_reshaped = handed_on(by_name, again.input[0])
                reshaped = reshaped or again_reshaped
                found[node.name] = Kept(begin.input[0], enter, count, last is source, reshaped)
    return found


def _stack(by_name: Mapping[str, Any], enter: Any) -> str:
    """The node that makes the stack, which `enter` brings into a loop, also out of a branch."""
    name = parse(enter.input[0]).node
    while name in by_name and by_name[name].op in ("Switch", "Identity"):
        name = parse(by_name[name].input[0]).node
    return name


def _entered(by_name: Mapping[str, Any], node: Any) -> Any:
    """The `Enter` that brings a stack into the loop of a node that uses it, if that is how it gets there."""
    enter = by_name.get(parse(node.input[0]).node)
    while enter is not None and enter.op == "Switch":
        enter = by_name.get(parse(enter.input[0]).node)
    return enter if enter is not None and enter.op == "Enter" else None


def handed_on(by_name: Mapping[str, Any], text: str) -> tuple[Any, bool]:
    """The node whose memory an input in a loop is, before all that hands memory on; whether it is reshaped between."""
    node, reshaped = by_name.get(parse(text).node), False
    while node is not None and (node.op == "Switch" or node.op in ALL_OF_IT):
        reshaped = reshaped or node.op not in ("Switch", "Identity")
        node = by_name.get(parse(node.input[0]).node)
    return node, reshaped


def _counts_of_rounds(by_name: Mapping[str, Any]) -> dict[bytes, Any]:
    """The operations that take 1 from the number of rounds that gradients' loops have left, by the loops' frames."""
    found = {}
    for node in by_name.values():
        if node.op == "Sub" and node.attr["T"].type == _INT32:
            switch, one = (by_name.get(parse(text).node) for text in node.input[:2])
            if switch is not None and one is not None and (switch.op, one.op) == ("Switch", "Enter"):
                condition = by_name.get(parse(switch.input[1]).node)
                if condition is not None and condition.op == "LoopCond":
                    found[one.attr["frame_name"].s] = node
    return found
