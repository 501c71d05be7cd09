"""Names for what lives longer than a run: variables, queues, tables, iterators, accumulators.

In TF1 each of these was an operation of the session's one executor. Here the functions of a session share them by name, in
a container that is the session's own: two sessions on one graph have each their own variables, as in TF1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.placement import HOST

#: they live on the host, wherever the script put them
_ON_HOST = (
    "Queue", "Iterator", "HashTable", "Reader", "Barrier", "Accumulator", "Stage", "Lookup", "Table",
)  # fmt: skip


def name_resources(nodes: Iterable[Any], container: str) -> list[Any]:
    """Gives every node that makes a resource a shared name and the session's container; returns these nodes."""
    found = []
    for node in nodes:
        if "shared_name" not in node.attr or "container" not in node.attr:
            continue
        if not node.attr["shared_name"].s:
            node.attr["shared_name"].s = node.name.encode()
        own = node.attr["container"].s
        node.attr["container"].s = container.encode() + (b"." + own if own else b"")
        if node.op != "VarHandleOp" and any(word in node.op for word in _ON_HOST):
            node.device = HOST
        found.append(node)
    return found


def released(nodes: Iterable[Any]) -> list[Any]:
    """Nodes that end these resources: queues are closed, so that nobody waits for them, variables give their memory back."""
    ending: list[Any] = []
    for node in nodes:
        if node.op == "VarHandleOp":
            end = tf.compat.v1.NodeDef(name=f"{node.name}/end", op="DestroyResourceOp", input=[node.name])
            end.attr["ignore_lookup_error"].b = True
        elif node.op.endswith("QueueV2"):
            end = tf.compat.v1.NodeDef(name=f"{node.name}/end", op="QueueCloseV2", input=[node.name])
            end.attr["cancel_pending_enqueues"].b = True
        else:
            continue
        end.device = node.device
        ending += [node, end]
    return ending
