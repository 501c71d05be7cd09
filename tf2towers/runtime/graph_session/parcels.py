"""Packs small tensors that one process sends to another into one tensor.

Each tensor that a function sends costs a request, as in TF1; for a small tensor, that is the whole
cost. Here small variables that are read at the start of a run, and small gradients for a parameter
server, are sent as one tensor. No value changes, and no tensor waits for one that may never come.
Tensors share a parcel only if they wait for the same blocking ops, and if none of them can depend
on a result of another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.graph_nodes import TensorName, add_constant, add_node, parse, written

#: the largest size of a small tensor, in bytes
SMALL = 32 * 1024
#: ops whose output may be dead (a branch that does not run)
_CONTROL_FLOW = frozenset(
    {"Switch", "Merge", "Enter", "Exit", "NextIteration", "RefSwitch", "RefMerge", "RefEnter"}
)
#: parts of the types of ops that may block a run
_BLOCKING = ("Queue", "Take", "Barrier", "Stage", "Iterator", "Reader", "PyFunc", "Recv", "Collective")
_INT32 = tf.int32.as_datatype_enum


def pack(
    nodes: Sequence[Any], process: Callable[[Any], str], shape: Callable[[TensorName], tuple[Any, Any] | None]
) -> list[Any]:
    """Packs small tensors into parcels. The nodes that use the tensors are changed in place.

    Args:
        nodes: the nodes of a function, with their devices.
        process: returns the process of a node, as the first part of its device.
        shape: returns a tensor's static shape and dtype, if known.

    Returns:
        The new nodes.
    """
    by_name = {node.name: node for node in nodes}
    crossing: dict[tuple[TensorName, str], list[tuple[Any, int]]] = {}
    for node in nodes:
        for index, text in enumerate(node.input):
            name = parse(text)
            if name.output >= 0 and process(by_name[name.node]) != process(node):
                crossing.setdefault((name, process(node)), []).append((node, index))
    if len(crossing) < 2:
        return []
    travels_with = _travels_with(nodes, by_name, process)
    groups: dict[Any, list[tuple[TensorName, Any]]] = {}
    for name, to in crossing:
        kind = travels_with(by_name[name.node])
        known = shape(name) if kind is not None else None
        if (
            known is None
            or known[0].num_elements() is None
            or not (known[1].is_floating or known[1].is_integer)
        ):
            continue
        if known[0].num_elements() * known[1].size <= SMALL:
            groups.setdefault((process(by_name[name.node]), to, kind, known[1]), []).append((name, known[0]))
    made: list[Any] = []
    for number, ((source, to, _, dtype), tensors) in enumerate(groups.items()):
        if len(tensors) > 1:
            arrived = _parcel(
                f"parcel_{number}", tensors, dtype, f"{source}/device:CPU:0", f"{to}/device:CPU:0", made
            )
            for (name, _), text in zip(tensors, arrived, strict=True):
                for node, index in crossing[name, to]:
                    node.input[index] = text
    return made


def _travels_with(
    nodes: Sequence[Any], by_name: Mapping[str, Any], process: Callable[[Any], str]
) -> Callable[[Any], Any]:
    """A function from a node to a group, whose outputs may share a parcel; None: alone."""
    if any(node.op in _CONTROL_FLOW for node in nodes):
        return lambda node: "read" if _first_read(node, by_name) else None
    order = _in_order(nodes, by_name)
    level: dict[str, int] = {}
    waits: dict[str, frozenset[str]] = {}
    for node in order:
        own_process, depth, blocked = process(node), 0, frozenset[str]()
        for text in node.input:
            source = by_name[parse(text).node]
            depth = max(depth, level[source.name] + (process(source) != own_process))
            blocked |= waits[source.name]
        level[node.name] = depth
        waits[node.name] = blocked | {node.name} if any(word in node.op for word in _BLOCKING) else blocked
    return lambda node: "read" if _first_read(node, by_name) else (level[node.name], waits[node.name])


def _first_read(node: Any, by_name: Mapping[str, Any]) -> bool:
    """True if a node reads a variable as soon as the run begins."""
    return (
        node.op == "ReadVariableOp"
        and len(node.input) == 1
        and by_name[parse(node.input[0]).node].op == "VarHandleOp"
    )


def _in_order(nodes: Sequence[Any], by_name: Mapping[str, Any]) -> list[Any]:
    """The nodes in topological order."""
    done: set[str] = set()
    order = []
    for first in nodes:
        pending = [(first, False)]
        while pending:
            node, ready = pending.pop()
            if ready:
                order.append(node)
            elif node.name not in done:
                done.add(node.name)
                pending.append((node, True))
                pending += [(by_name[parse(text).node], False) for text in node.input]
    return order


def _parcel(
    prefix: str,
    tensors: Sequence[tuple[TensorName, tf.TensorShape]],
    dtype: tf.DType,
    source: str,
    to: str,
    made: list[Any],
) -> list[str]:
    """Adds nodes that pack, send and unpack tensors; returns the unpacked ones' names."""

    def add(name: str, op: str, inputs: Sequence[str], device: str, **types: int) -> Any:
        return add_node(made, f"{prefix}/{name}", op, inputs, device, **types)

    def constant(name: str, value: Any, device: str) -> str:
        return add_constant(made, f"{prefix}/{name}", value, tf.int32, device)

    kind = dtype.as_datatype_enum
    flat = constant("flat", [-1], source)
    rows = [
        add(f"row_{index}", "Reshape", [written(name), flat], source, T=kind, Tshape=_INT32).name
        for index, (name, _) in enumerate(tensors)
    ]
    joined = add("joined", "ConcatV2", [*rows, constant("axis", 0, source)], source, T=kind, Tidx=_INT32)
    joined.attr["N"].i = len(rows)
    sizes = constant("sizes", [int(shape.num_elements() or 0) for _, shape in tensors], to)
    split = add("split", "SplitV", [joined.name, sizes, constant("at", 0, to)], to, T=kind, Tlen=_INT32)
    split.attr["num_split"].i = len(rows)
    arrived = []
    for index, (_, shape) in enumerate(tensors):
        target = constant(f"shape_{index}", shape.as_list(), to)
        part = f"{split.name}:{index}" if index else split.name
        arrived.append(str(add(f"tensor_{index}", "Reshape", [part, target], to, T=kind, Tshape=_INT32).name))
    return arrived
