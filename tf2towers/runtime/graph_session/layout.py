"""The devices of a session's variables, which move when a grown graph needs them elsewhere."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tf2towers.runtime.graph_session.graph_nodes import copy_name
from tf2towers.runtime.graph_session.mirror import Mirror


class Layout:
    """The devices of the copies of each variable: variable -> tower -> device."""

    def __init__(self, mirror: Mirror) -> None:
        self.devices: dict[str, dict[int, str]] = {}
        self._nodes: dict[str, Any] = {}
        for name, node in mirror.nodes.by_name.items():
            if node.op == "VarHandleOp":
                self._nodes[name] = node
                self.devices[name] = {0: mirror.home(name)} | {
                    tower: mirror.device(tower) for tower in mirror.copies.get(name, [0])[1:]
                }

    def moved_from(self, old_layout: Layout) -> list[str]:
        """The variables whose devices, or whose copies, differ from those in the old layout."""
        return [
            name for name, devices in old_layout.devices.items() if self.devices.get(name, devices) != devices
        ]

    def bring(self, names: list[str], old_layout: Layout, container: str) -> None:
        """Assigns a variable's value, if it has one, to its new copies; in eager mode only."""
        for name in names:
            old = self._handle(name, 0, old_layout.devices[name][0], container)
            if not tf.raw_ops.VarIsInitializedOp(resource=old).numpy():
                continue
            dtype = tf.dtypes.as_dtype(self._nodes[name].attr["dtype"].type)
            value = tf.raw_ops.ReadVariableOp(resource=old, dtype=dtype)
            for tower, device in self.devices[name].items():
                if old_layout.devices[name].get(tower) != device:
                    with tf.device(device):
                        new = self._handle(name, tower, device, container)
                        tf.raw_ops.AssignVariableOp(resource=new, value=tf.identity(value))

    def _handle(self, name: str, tower: int, device: str, container: str) -> Any:
        attributes = self._nodes[name].attr
        own = attributes["container"].s.decode()
        shared = attributes["shared_name"].s.decode() if not tower and attributes["shared_name"].s else ""
        with tf.device(device):
            return tf.raw_ops.VarHandleOp(
                dtype=tf.dtypes.as_dtype(attributes["dtype"].type),
                shape=tf.TensorShape(attributes["shape"].shape),
                container=f"{container}.{own}" if own else container,
                shared_name=shared or copy_name(name, tower),
            )
