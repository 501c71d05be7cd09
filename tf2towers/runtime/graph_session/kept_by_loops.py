"""Finds what the gradient of a `tf.while_loop` takes of a variable's memory.

A loop keeps what its gradient needs on stacks, one element a round. Where a loop variable begins as a variable of the
model, the element of the first round was that variable's memory in TF1. The gradient takes it in its last round: it
computed with what had been written to the variable by then. Spectral normalization assigns its vector between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tf2towers.runtime.graph_session.graph_nodes import parse


class Kept(NamedTuple):
    """What a `StackPopV2` returns of a loop variable.

    Attributes:
        begin: the `Enter` by which the loop variable begins.
        count: the `Sub` that counts the gradient's rounds: its first input is 1 in the last one.
        frame: the frame of the gradient's loop.
        always: whether the loop hands the variable on unchanged, so that each round takes its memory.
    """

    begin: Any
    count: Any
    frame: bytes
    always: bool


def kept_by_loops(nodes: Iterable[Any]) -> dict[str, Kept]:
    """The `StackPopV2` of the gradients of a graph's loops that take loop variables back, by name.

    Those of a loop in another loop or in a branch are not found, nor those that take back what the body reshaped.
    """
    by_name = {node.name: node for node in nodes}
    pushed: dict[str, Any] = {}
    for node in by_name.values():
        if node.op == "StackPushV2" and (enter := _entered(by_name, node)) is not None:
            pushed[parse(enter.input[0]).node] = node
    found = {}
    for node in by_name.values():
        if node.op != "StackPopV2" or (enter := _entered(by_name, node)) is None:
            continue
        push = pushed.get(parse(enter.input[0]).node)
        merge = None if push is None else _loop_variable(by_name, push.input[1])
        count = _count_of_rounds(by_name, node)
        if merge is None or count is None:
            continue
        begin, again = (by_name.get(parse(text).node) for text in merge.input[:2])
        if begin is not None and begin.op == "Enter" and again is not None:
            handed_on = _loop_variable(by_name, again.input[0])
            found[node.name] = Kept(begin, count, enter.attr["frame_name"].s, handed_on is merge)
    return found


def _entered(by_name: Mapping[str, Any], node: Any) -> Any:
    """The `Enter` that brings a stack into the loop of a node that uses it, if that is how it gets there."""
    enter = by_name.get(parse(node.input[0]).node)
    return enter if enter is not None and enter.op == "Enter" else None


def _loop_variable(by_name: Mapping[str, Any], text: str) -> Any:
    """The `Merge` at which a loop variable begins a round, if an input is that variable as it is."""
    node = by_name.get(parse(text).node)
    while node is not None and node.op in ("Identity", "Switch"):
        node = by_name.get(parse(node.input[0]).node)
    return node if node is not None and node.op == "Merge" else None


def _count_of_rounds(by_name: Mapping[str, Any], pop: Any) -> Any:
    """The operation that takes 1 from the number of rounds that a gradient's loop has left."""
    for text in pop.input:
        node = by_name.get(parse(text).node)
        if text[0] == "^" and node is not None and node.op == "Sub":
            switch = by_name.get(parse(node.input[0]).node)
            if switch is not None and switch.op == "Switch":
                condition = by_name.get(parse(switch.input[1]).node)
                return node if condition is not None and condition.op == "LoopCond" else None
    return None
