"""Reads of a graph collection without the tower's scope, in the tower loop and the script's functions it calls."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.program.model import Training
from tf2towers.rewrites.context import code_of

#: Reading these gives every tower's entries; (name, how many arguments leave the scope out).
_READERS = {
    "tf.get_collection": 1,
    "tf.get_collection_ref": 1,
    "tf.losses.get_losses": 0,
    "tf.losses.get_total_loss": 0,
    "tf.contrib.losses.get_losses": 0,
    "tf.contrib.losses.get_total_loss": 0,
    "tf.contrib.slim.losses.get_losses": 0,
    "tf.contrib.slim.losses.get_total_loss": 0,
}
_SHARED = (
    "VARIABLES",
    "WEIGHTS",
    "BIASES",
    "UPDATE_OPS",
    "SUMMARIES",
    "GLOBAL_STEP",
    "REGULARIZATION_LOSSES",
)


def unscoped_reads(training: Training) -> Iterator[tuple[cst.Call, str]]:
    """(call, what it is) of each such read. Collections of what the towers share (variables) are left out."""
    functions = {s.name.value: s for s in training.module.body if isinstance(s, cst.FunctionDef)}
    seen: set[str] = set()
    pending: list[cst.CSTNode] = [training.tower.loop.body]
    while pending:
        for call in _calls(pending.pop()):
            canonical = training.kinds.resolver.canonical(call.func)
            if canonical in functions and canonical not in seen:
                seen.add(canonical)
                pending.append(functions[canonical].body)
            if canonical in _READERS and _is_unscoped(call, _READERS[canonical]):
                yield call, code_of(call)


def _is_unscoped(call: cst.Call, plain: int) -> bool:
    if any(argument.keyword is not None and argument.keyword.value == "scope" for argument in call.args):
        return False
    positional = [argument.value for argument in call.args if argument.keyword is None]
    if plain and positional and any(word in code_of(positional[0]) for word in _SHARED):
        return False
    return len(positional) <= plain


def _calls(node: cst.CSTNode) -> list[cst.Call]:
    found: list[cst.Call] = []

    class Visitor(cst.CSTVisitor):
        def visit_Call(self, call: cst.Call) -> None:
            found.append(call)

    node.visit(Visitor())
    return found
