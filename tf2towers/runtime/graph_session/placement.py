"""Maps the devices of a graph's operations to the devices of the strategy."""

from __future__ import annotations

from typing import Any

from tf2towers.runtime.graph_session.graph_nodes import parse
from tf2towers.runtime.graph_session.towers import Towers, place_of

HOST = "/job:localhost/replica:0/task:0/device:CPU:0"

#: ops that make a tower's part of a batch
_PARTS = frozenset({"Split", "SplitV", "StridedSlice", "Slice", "Unpack"})
#: ops that return a batch
_BATCHES = frozenset(
    {"Placeholder", "PlaceholderWithDefault", "IteratorGetNext", "QueueDequeueV2", "QueueDequeueManyV2",
     "QueueDequeueUpToV2", "Unstage"}
)  # fmt: skip


def place(nodes: list[Any], towers: Towers, fed: set[str]) -> None:
    """Sets the device of every node in a part of a graph.

    A tower's slice of a batch is made on the device of the batch, so that only the slice is sent:
    the values are the same. Colocation is not needed: `mirror` places variables and their updates.

    Args:
        fed: the names of the nodes that stand for fed tensors.
    """
    batches = fed | {node.name for node in nodes if node.op in _BATCHES}
    for node in nodes:
        if node.op in _PARTS and parse(node.input[1 if node.op == "Split" else 0]).node in batches:
            node.device = HOST
            if node.op != "StridedSlice":
                batches.add(node.name)
            continue
        node.device = device_here(node.device, towers)


def device_here(device: str, towers: Towers) -> str:
    """The device that a script's device string means here; '' if TensorFlow may choose."""
    tower = towers.of(device)
    if tower is not None:
        return towers.devices[tower]
    place = place_of(device)
    return HOST if place.kind == "CPU" else ""
