"""Whose moving statistics the script kept: whether its towers ran their UPDATE_OPS."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.python_code.search import find_all
from tf2towers.program.training import Training

UPDATES = "tf.GraphKeys.UPDATE_OPS"


def statistics_kept(training: Training) -> str | None:
    """'last' (the last tower's list of updates was run) or 'none' (no list was); None where no tower makes updates."""
    towers = training.tower_loop_statement
    if not any("UPDATE_OPS" in symbol for symbol in training.effects[towers].symbols):
        return None
    canonical = training.value_kinds.resolver.canonical
    reads = any(
        canonical(call.func) == "tf.get_collection" and call.args and canonical(call.args[0].value) == UPDATES
        for call in find_all(towers.node, cst.Call)
    )
    return "last" if reads else "none"
