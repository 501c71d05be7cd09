"""Takings from one iterator, queue or reader, and givings to one queue, come in the order they were built.

TF 1 let the towers of a run take as it happened, so that each run of a script had other batches in its towers. This is
one of the orders it could have taken, and the same in every run (`tf2towers.verify.recorder.order` has it as well).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tf2towers.runtime.graph_session.nodes import Nodes, parse

_TAKINGS = (
    re.compile(r"IteratorGetNext(Sync|AsOptional)?|Reader(Read|ReadUpTo)(V2)?"),
    re.compile(r"QueueDequeue(Many|UpTo)?(V2)?"),
    re.compile(r"QueueEnqueue(Many)?(V2)?"),
)


def order_takings(nodes: Nodes, part: Sequence[Any]) -> None:
    """Lets each wait for the one before it; those in branches and loops stay as they are.

    Args:
        part: the nodes of a run, in the order they were built; inputs are changed in place.
    """
    by_name = {node.name: node for node in part}
    last: dict[tuple[str, int], str] = {}
    for node in part:
        kind = next((place for place, kind in enumerate(_TAKINGS) if kind.fullmatch(node.op)), None)
        if kind is None or not node.input or nodes.in_control_flow(node.name):
            continue
        source = parse(node.input[0]).node
        while source in by_name and by_name[source].op == "Identity":
            source = parse(by_name[source].input[0]).node
        before = last.get((source, kind))
        if before is not None and f"^{before}" not in node.input:
            node.input.append(f"^{before}")
        last[source, kind] = node.name


__all__ = ["order_takings"]
