"""Names the resources that outlive a run: variables, queues, tables, iterators, accumulators.

In TF1 the session's runs shared each of these as one op of the graph. Here the functions of a
session share them by name, in a container of the session. So two sessions on one graph have
separate variables, as in TF1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.placement import HOST
from tf2towers.runtime.graph_session.session_process import Process

#: parts of op types whose resources are placed on the host, whatever the script's device
_ON_HOST = ("queue", "iterator", "reader", "barrier", "accumulator", "stage", "lookup", "table")


def name_resources(nodes: Iterable[Any], container: str, process: Process) -> list[Any]:
    """Sets the shared name and container of what makes resources; returns this process's."""
    found = []
    for node in nodes:
        if "shared_name" not in node.attr or "container" not in node.attr:
            continue
        base, alone = process.container(container, node).encode(), process.is_own(node)
        if not node.attr["shared_name"].s:
            node.attr["shared_name"].s = node.name.encode()
        elsewhere = process.is_elsewhere(node)
        if elsewhere and not alone:
            continue
        own = node.attr["container"].s
        node.attr["container"].s = base + (b"." + own if own else b"")
        if not elsewhere and node.op != "VarHandleOp" and any(word in node.op.lower() for word in _ON_HOST):
            node.device = HOST
        found.append(node)
    return found


def replace_one_shot_iterators(nodes: Iterable[Any]) -> dict[str, list[Any]]:
    """Replaces one-shot iterators, which no name shares, by iterators that are initialized.

    Returns:
        Iterator's name -> nodes that initialize it; the last of them is the one to run.
    """
    begun: dict[str, list[Any]] = {}
    for node in nodes:
        if node.op != "OneShotIterator":
            continue
        device = node.device if node.device.startswith("/job:ps/") else HOST
        dataset = tf.compat.v1.NodeDef(
            name=f"{node.name}/dataset", op="StatefulPartitionedCall", device=device
        )
        dataset.attr["f"].func.CopyFrom(node.attr["dataset_factory"].func)
        dataset.attr["Tin"].list.SetInParent()
        dataset.attr["Tout"].list.type.append(tf.variant.as_datatype_enum)
        make = tf.compat.v1.NodeDef(
            name=f"{node.name}/begin", op="MakeIterator", input=[dataset.name, node.name], device=device
        )
        begun[node.name] = [dataset, make]
        node.op = "IteratorV2"
        del node.attr["dataset_factory"]
    return begun


def make_ends(nodes: Iterable[Any]) -> list[Any]:
    """Makes nodes that release resources: queues are closed, variables are freed."""
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
