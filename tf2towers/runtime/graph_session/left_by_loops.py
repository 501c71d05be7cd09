"""Finds the `Exit`s of `tf.while_loop` that return a variable's memory.

In TF1 a loop that makes no rounds, or hands its variable on unchanged, returned the memory that the
variable began with. After a round it was the memory that the body hands on from outside.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tf2towers.runtime.graph_session.graph_nodes import parse
from tf2towers.runtime.graph_session.kept_by_loops import handed_on


class Left(NamedTuple):
    """What an `Exit` returns.

    Attributes:
        exit: its name.
        enter: the `Enter` by which the loop variable begins; its input is what is returned after no
            rounds.
        switch: the `Switch` that ends the loop.
        again: the tensor whose memory is returned after a round; None where the body computes it.
        always: whether the loop hands the variable on unchanged.
        reshaped: whether its shape may be another one than the variable's.
    """

    exit: str
    enter: Any
    switch: Any
    again: str | None
    always: bool
    reshaped: bool

    @property
    def sources(self) -> list[str]:
        """The nodes whose memory it may be."""
        return [parse(text).node for text in (self.enter.input[0], self.again) if text]


def left_by_loops(nodes: Iterable[Any]) -> dict[str, Left]:
    """The exits of a graph's loops whose variables begin with memory, or are given it, by name.

    A loop variable that takes the memory of another one, or that of one branch in the body, is not
    followed.
    """
    by_name = {node.name: node for node in nodes}
    found = {}
    for node in by_name.values():
        switch = by_name.get(parse(node.input[0]).node) if node.op == "Exit" else None
        merge = by_name.get(parse(switch.input[0]).node) if switch is not None else None
        if merge is None or merge.op != "Merge":
            continue
        enter, again = (by_name.get(parse(text).node) for text in merge.input[:2])
        if enter is None or enter.op != "Enter" or again is None or again.op != "NextIteration":
            continue
        last, reshaped = handed_on(by_name, again.input[0])
        memory = None
        if last is not None and last.op == "Enter" and last.attr["is_constant"].b:
            memory = last.input[0]
        elif last is not None and last.op == "ReadVariableOp":
            memory = last.name
        found[node.name] = Left(node.name, enter, switch, memory, last is merge, reshaped)
    return found
