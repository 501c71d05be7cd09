"""Whose batch-norm statistics the script kept: how it fetched UPDATE_OPS (T2T107)."""

from __future__ import annotations

import libcst as cst

from tf2towers.program.leaf import TOWERS
from tf2towers.program.model import Training
from tf2towers.rewrites.context import code_of

_MARKS = ("UPDATE_OPS",)


def statistics_kept(training: Training) -> str | None:
    """'last', 'first', 'mean' or 'none' (the towers' updates were never run); None where no tower makes any."""
    towers = training.towers_leaf
    reads = [call for leaf in training.leaves for call in _reads(leaf.node)]
    if (
        not any(
            "UPDATE_OPS" in s or "batch_norm" in s or "updates_collections" in s
            for s in training.effects[towers].symbols
        )
        and not reads
    ):
        return None
    if "updates_collections=None" in training.effects[towers].symbols:
        return "mean"
    if not reads:
        return "none"
    inside = set(_reads(towers.node))
    call = reads[0]
    scope = call.args[1].value if len(call.args) > 1 else None
    if call in inside:
        if _is_guarded(training, call):
            return "first"
        return "last" if scope is not None else "mean"
    if scope is None:
        return "mean"
    if isinstance(scope, cst.Name):
        return "last"
    return "first" if "0" in code_of(scope) else "last"


def statistics_of_workers(training: Training) -> str | None:
    """'mean' or 'none' (the updates were never run) of the steps that train on parameter servers.

    None where they make no updates, and where a call of its own runs them.
    """
    leaves = [leaf for step in training.steps if step.trains for leaf in step.slice.leaves]
    symbols = {symbol for leaf in leaves for symbol in training.effects[leaf].symbols}
    reads = any(_reads(leaf.node) for leaf in leaves) or any("UPDATE_OPS" in one for one in symbols)
    if not reads and not any("batch_norm" in one or "updates_collections" in one for one in symbols):
        return None
    if reads or "updates_collections=None" in symbols:
        return "mean"
    return None if any(_reads(leaf.node) for leaf in training.leaves) else "none"


def _reads(node: cst.CSTNode) -> list[cst.Call]:
    found: list[cst.Call] = []

    class Visitor(cst.CSTVisitor):
        def visit_Call(self, call: cst.Call) -> None:
            func = call.func
            last = func.attr.value if isinstance(func, cst.Attribute) else getattr(func, "value", "")
            if last in ("get_collection", "get_collection_ref") and call.args:
                if any(
                    mark in code_of(call.args[0].value) or "update_ops" in code_of(call.args[0].value)
                    for mark in _MARKS
                ):
                    found.append(call)

    node.visit(Visitor())
    return found


def _is_guarded(training: Training, call: cst.Call) -> bool:
    """Whether the call stands under an `if` of the loop."""
    for leaf in training.leaves:
        if leaf.kind != TOWERS:
            continue
        for inner in (one for part in leaf.inner for one in part.every()):
            if isinstance(inner.node, cst.If) and call in _reads(inner.node):
                return "0" in code_of(inner.node.test)
    return False
