"""What is only for Pythons and libraries of before: parts that a test of the version, or an expected error, fences."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import libcst as cst

from tf2towers.codemod.libraries import is_gone
from tf2towers.codemod.meanings import Assigned
from tf2towers.codemod.nodes import (
    Import,
    Statement,
    Symbol,
    block,
    compared,
    imported,
    index_of,
    is_name,
    items,
    literal,
    literal_value,
    module_of,
    positional,
)
from tf2towers.codemod.reached import COMPARE, branches_around

if TYPE_CHECKING:
    from tf2towers.codemod.file import File

#: the oldest and the newest Python that TensorFlow 2.15 to 2.21 run on
_PYTHONS = ((3, 9), (3, 13))
#: errors by which a name or a module is seen to be missing
_MISSING = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "NameError"})


def is_never_reached(file: File, node: cst.CSTNode) -> bool:
    """Whether a node is only reached in an old Python, or where a library still has what is gone."""
    if any(_truth(file, test) is (not is_yes) for test, is_yes in branches_around(file, node)):
        return True
    for around in file.ancestors(node):
        if isinstance(around, cst.ExceptHandler):
            whole = file.parent(around)
            if isinstance(whole, cst.Try) and _succeeds(file, block(whole)):
                return True
    return False


def is_expected_to_fail(file: File, node: cst.CSTNode) -> bool:
    """Whether an error that a missing name raises is caught, and nothing else: `except ImportError:`.

    Where there are imports alone in the `try`, any handler is for these.
    """
    inner = node
    for around in file.ancestors(node):
        if isinstance(around, cst.Try) and inner in block(around):
            imports = all(isinstance(statement, Import) for statement in block(around))
            return bool(around.handlers) and (imports or any(map(_only_for_missing, around.handlers)))
        inner = around
    return False


def _only_for_missing(handler: cst.ExceptHandler) -> bool:
    caught = items(handler.type) if isinstance(handler.type, cst.Tuple) else [handler.type]
    return all(is_name(error) and error.value in _MISSING for error in caught)


def _succeeds(file: File, body: list[Statement]) -> bool:
    """Whether statements surely go well: imports of Python's own modules, and reads of what these have."""
    for statement in body:
        if isinstance(statement, Import) and not module_of(statement).startswith("."):
            names = [dotted for _, dotted in imported(statement)]
        elif isinstance(statement, cst.Assign | cst.Expr) and isinstance(statement.value, cst.Attribute):
            names = [file.canonical(statement.value) or ""]
        else:
            return False
        if any(name.partition(".")[0] not in sys.stdlib_module_names or is_gone(name) for name in names):
            return False
    return True


def _truth(
    file: File, test: cst.BaseExpression, through: frozenset[cst.CSTNode] = frozenset()
) -> bool | None:
    """What a test of the version, or of what there is, says in every Python that runs TF 2.21; None: either.

    `through` are the names that led to it.
    """
    match test:
        case cst.UnaryOperation(operator=cst.Not()):
            inner = _truth(file, test.expression, through)
            return None if inner is None else not inner
        case cst.BooleanOperation():
            known = [_truth(file, value, through) for value in (test.left, test.right)]
            decisive = isinstance(test.operator, cst.Or)
            return decisive if decisive in known else None if None in known else not decisive
        case cst.Comparison():
            return _compared(file, test)
        case cst.Call() if file.canonical(test.func) == "builtins.hasattr" and len(positional(test)) == 2:
            of, name = positional(test)
            home = file.canonical(of)
            return False if home is not None and is_gone(f"{home}.{literal(name)!s}") else None
        case cst.Name() if test not in through and len(bindings := file.meanings.bindings(test)) == 1:
            if isinstance(bindings[0], Assigned):  # PY2 = sys.version_info[0] == 2
                return _truth(file, bindings[0].value, through | {test})
    return {"six.PY2": False, "six.PY3": True}.get(file.canonical(test) or "")


def _compared(file: File, test: cst.Comparison) -> bool | None:
    sides = compared(test)
    compare = COMPARE.get(type(sides[1])) if sides is not None else None
    if sides is None or compare is None:
        return None
    answers = set()
    try:
        other = literal_value(sides[2])
        for version in _PYTHONS:
            value = _version(file, sides[0], version)
            if value is None:
                return None
            answers.add(compare(value, other))
    except (TypeError, ValueError):
        return None
    return answers.pop() if len(answers) == 1 else None


def _version(file: File, node: cst.BaseExpression, version: tuple[int, int]) -> Any:
    """The value of an expression of `sys.version_info` or `sys.version` in a Python; None for any other."""
    if isinstance(node, cst.Subscript):
        whole, index = _version(file, node.value, version), index_of(node)
        if whole is None or index is None:
            return None
        if isinstance(index, cst.Slice):
            bounds = (index.lower, index.upper, index.step)
            return whole[slice(*(None if bound is None else literal_value(bound) for bound in bounds))]
        return whole[literal(index)] if literal(index) in (0, 1) else None
    name = file.canonical(node) if isinstance(node, Symbol) else None
    return {
        "sys.version_info": (*version, 0), "sys.version_info.major": version[0],
        "sys.version": f"{version[0]}.{version[1]}.0",
    }.get(name or "")  # fmt: skip
