"""Code that only old Pythons and libraries reach: behind a test of the version, or an error that is expected."""

from __future__ import annotations

import contextlib
import operator
import sys
from collections.abc import Callable, Set
from typing import Any

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.libraries import gone_part
from tf2towers.codemod.meanings import Assigned
from tf2towers.codemod.program import File
from tf2towers.codemod.reached import branches_around

#: the oldest and the newest Python that TensorFlow 2.15 to 2.21 run on
_PYTHONS = ((3, 9), (3, 13))
_COMPARE: dict[type[cst.BaseCompOp], Callable[[Any, Any], bool]] = {
    cst.Equal: operator.eq, cst.NotEqual: operator.ne, cst.LessThan: operator.lt, cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt, cst.GreaterThanEqual: operator.ge,
}  # fmt: skip
_NOT_KNOWN = (ValueError, TypeError, LookupError)
#: errors that a missing name or module raises
_MISSING = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "NameError"})


def is_never_reached(file: File, node: cst.CSTNode) -> bool:
    """True if a node is only reached in an old Python, or where a library still has what is gone."""
    if any(_truth(file, test) is (not is_yes) for test, is_yes in branches_around(file, node)):
        return True
    for around in file.ancestors(node):
        if isinstance(around, cst.ExceptHandler):
            whole = file.parent(around)
            if isinstance(whole, cst.Try) and _succeeds(file, nodes.block(whole)):
                return True
    return False


def is_expected_to_fail(file: File, node: cst.CSTNode) -> bool:
    """True if an error that a missing name raises is caught, and nothing else: `except ImportError:`.

    Where there are imports alone in the `try`, any handler is for these.
    """
    for inner, around in file.steps_outwards(node):
        if isinstance(around, cst.Try) and inner in nodes.block(around):
            imports = all(isinstance(statement, nodes.Import) for statement in nodes.block(around))
            return bool(around.handlers) and (imports or any(map(_only_for_missing, around.handlers)))
    return False


def _only_for_missing(handler: cst.ExceptHandler) -> bool:
    caught = nodes.items(handler.type) if isinstance(handler.type, cst.Tuple) else [handler.type]
    return all(nodes.is_name(error) and error.value in _MISSING for error in caught)


def _succeeds(file: File, body: list[nodes.Statement]) -> bool:
    """True if statements surely raise no error: imports of Python's own modules, and reads of their names."""
    for statement in body:
        if isinstance(statement, nodes.Import) and not nodes.module_of(statement).startswith("."):
            names = [dotted for _, dotted in nodes.imported(statement)]
        elif isinstance(statement, cst.Assign | cst.Expr) and isinstance(statement.value, cst.Attribute):
            names = [file.canonical(statement.value) or ""]
        else:
            return False
        if any(name.partition(".")[0] not in sys.stdlib_module_names or gone_part(name) for name in names):
            return False
    return True


def _truth(file: File, test: cst.BaseExpression) -> bool | None:
    """The result of a test, by version or by what exists, in all Pythons that run TF 2.21; None if they differ."""
    try:
        answers = {bool(_value(file, test, version, frozenset())) for version in _PYTHONS}
    except _NOT_KNOWN:
        return None
    return answers.pop() if len(answers) == 1 else None


def _value(file: File, node: cst.BaseExpression, version: tuple[int, int], through: Set[cst.CSTNode]) -> Any:
    """The value of a test or a part of one in a Python; raises one of _NOT_KNOWN where it is not known.

    `through` are the names that led to it.
    """
    known = {
        "sys.version_info": version, "sys.version_info.major": version[0],
        "sys.version": f"{version[0]}.{version[1]}.0", "six.PY2": False, "six.PY3": True,
    }  # fmt: skip
    match node:
        case cst.UnaryOperation(operator=cst.Not()):
            return not _value(file, node.expression, version, through)
        case cst.BooleanOperation():
            answers: set[bool | None] = set()
            for part in (node.left, node.right):
                with contextlib.suppress(*_NOT_KNOWN):
                    answers.add(bool(_value(file, part, version, through)))
                    continue
                answers.add(None)
            decisive = isinstance(node.operator, cst.Or)
            if decisive not in answers and None in answers:
                raise ValueError
            return decisive if decisive in answers else not decisive
        case cst.Comparison() if (sides := nodes.compared(node)) is not None and type(sides[1]) in _COMPARE:
            left, right = (_value(file, side, version, through) for side in (sides[0], sides[2]))
            return _COMPARE[type(sides[1])](left, right)
        case cst.Subscript() if (index := nodes.index_of(node)) is not None:
            whole = _value(file, node.value, version, through)
            if isinstance(index, cst.Slice):
                bounds = (index.lower, index.upper, index.step)
                return whole[
                    slice(*(None if bound is None else nodes.literal_value(bound) for bound in bounds))
                ]
            return whole[nodes.literal_value(index)]
        case cst.Call() if (
            file.canonical(node.func) == "builtins.hasattr" and len(nodes.positional(node)) == 2
        ):
            of, attribute = nodes.positional(node)
            if (home := file.canonical(of)) and gone_part(f"{home}.{nodes.literal(attribute)!s}"):
                return False
        case cst.Name() | cst.Attribute() if (name := file.canonical(node)) in known:
            return known[name]
        case cst.Name() if node not in through and len(bindings := file.meanings.bindings(node)) == 1:
            value = bindings[0].value if isinstance(bindings[0], Assigned) else None
            if value is not None and not isinstance(value, cst.BaseDict | cst.BaseList):  # they may change
                return _value(file, value, version, {*through, node})
    return nodes.literal_value(node)
