"""The forward pass of a traced function, as the recorder of TF1 programs finds it in a graph."""

from __future__ import annotations

from typing import Any

from tf2towers.recorder import graph as graphs


def layers_before(loss: Any) -> list[tuple[str, str, Any]]:
    """(name without the tower's, op type, output) of every layer that the loss depends on, in order of creation."""
    behind = graphs.ancestors([loss.op])
    return [
        (graphs.without_tower(op.name), op.type, op.outputs[0])
        for op in graphs.of_type(behind, graphs.LAYER_OPS)
        if op.outputs[0].dtype.is_floating or op.outputs[0].dtype.is_integer
    ]
