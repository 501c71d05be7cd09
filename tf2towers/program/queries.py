"""Questions about variables in the session's part: `tf.trainable_variables()`, `tf.get_collection('to_restore')`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from tf2towers.names.symbols import Names
from tf2towers.program.find import find_all
from tf2towers.program.kinds import VARIABLES
from tf2towers.program.roles import role

if TYPE_CHECKING:
    from tf2towers.program.model import Training

LISTS = frozenset({"tf.trainable_variables", "tf.global_variables", "tf.all_variables"})
_NOT_VARIABLES = ("loss", "summar", "update_ops", "queue", "regulari")


def asks_for_variables(node: cst.CSTNode, names: Names) -> bool:
    """Whether all the tensor-making calls of a statement ask for lists of variables."""
    asked = False
    for call in find_all(node, cst.Call):
        canonical = names.canonical(call.func)
        if canonical in LISTS or (canonical == "tf.get_collection" and _of_variables(call)):
            asked = True
        elif role(canonical) in ("tensor", "queue", "placeholder"):
            return False
    return asked


def names_variables(node: cst.CSTNode, names: Names) -> bool:
    """Whether a piece of code asks for a list of the graph's variables."""
    return any(names.canonical(call.func) in LISTS for call in find_all(node, cst.Call))


def _of_variables(call: cst.Call) -> bool:
    if not call.args:
        return False
    text = cst.Module([]).code_for_node(call.args[0].value).lower()
    return not any(word in text for word in _NOT_VARIABLES)


def is_each_variable(node: cst.BaseExpression, training: Training) -> bool:
    """Whether an expression is `v` of a `for v in tf.trainable_variables():` of the program."""
    if not isinstance(node, cst.Name):
        return False
    for leaf in (leaf for outer in training.leaves for leaf in outer.every()):
        loop = leaf.node
        if (
            isinstance(loop, cst.For)
            and isinstance(loop.target, cst.Name)
            and loop.target.value == node.value
        ):
            if training.kinds.of(loop.iter) == VARIABLES:
                return True
    return False
