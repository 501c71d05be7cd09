"""What is only for Pythons and libraries of before: parts that a test of the version, or an expected error, fences."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any

from tf2towers.exact.libraries.changed import is_gone
from tf2towers.exact.reached.branches import COMPARE, branches_around
from tf2towers.names.meanings import Assigned
from tf2towers.source.nodes import imported

if TYPE_CHECKING:
    from tf2towers.exact.file import File

#: the oldest and the newest Python that TensorFlow 2.15 to 2.21 run on
_PYTHONS = ((3, 9), (3, 13))
#: errors by which a name or a module is seen to be missing
_MISSING = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError", "NameError"})


def is_never_reached(file: File, node: ast.AST) -> bool:
    """Whether a place is only reached in an old Python, or where a library still has what is gone."""
    if any(_truth(file, test) is (not is_yes) for test, is_yes in branches_around(file, node)):
        return True
    for around in file.ancestors(node):
        if isinstance(around, ast.ExceptHandler):
            whole = file.parent(around)
            if isinstance(whole, ast.Try) and _succeeds(file, whole.body):
                return True
    return False


def is_expected_to_fail(file: File, node: ast.AST) -> bool:
    """Whether an error that a missing name raises is caught, and nothing else: `except ImportError:`.

    Where there are imports alone in the `try`, any handler is for these.
    """
    inner = node
    for around in file.ancestors(node):
        if isinstance(around, ast.Try) and inner in around.body:
            imports = all(isinstance(statement, ast.Import | ast.ImportFrom) for statement in around.body)
            return bool(around.handlers) and (imports or any(map(_only_for_missing, around.handlers)))
        inner = around
    return False


def _only_for_missing(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return all(isinstance(error, ast.Name) and error.id in _MISSING for error in caught)


def _succeeds(file: File, body: list[ast.stmt]) -> bool:
    """Whether statements surely go well: imports of Python's own modules, and reads of what these have."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom) and not getattr(statement, "level", 0):
            names = [dotted for _, dotted in imported(statement)]
        elif isinstance(statement, ast.Assign | ast.Expr) and isinstance(statement.value, ast.Attribute):
            names = [file.canonical(statement.value) or ""]
        else:
            return False
        if any(name.partition(".")[0] not in sys.stdlib_module_names or is_gone(name) for name in names):
            return False
    return True


def _truth(file: File, test: ast.expr, through: frozenset[ast.expr] = frozenset()) -> bool | None:
    """What a test of the version, or of what there is, says in every Python of today; None where it may be either.

    `through` are the names that led to it.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _truth(file, test.operand, through)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        known = [_truth(file, value, through) for value in test.values]
        decisive = isinstance(test.op, ast.Or)
        if decisive in known:
            return decisive
        return None if None in known else not decisive
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compared(file, test)
    if isinstance(test, ast.Call) and len(test.args) == 2 and file.canonical(test.func) == "builtins.hasattr":
        of, name = test.args
        home = file.canonical(of)
        if home is not None and isinstance(name, ast.Constant) and is_gone(f"{home}.{name.value!s}"):
            return False
        return None
    if isinstance(test, ast.Name) and test not in through and (bindings := file.meanings.bindings(test)):
        if len(bindings) == 1 and isinstance(bindings[0], Assigned):  # PY2 = sys.version_info[0] == 2
            return _truth(file, bindings[0].value, through | {test})
    if isinstance(test, ast.Attribute | ast.Name):
        return {"six.PY2": False, "six.PY3": True}.get(file.canonical(test) or "")
    return None


def _compared(file: File, test: ast.Compare) -> bool | None:
    compare = COMPARE.get(type(test.ops[0]))
    try:
        other = ast.literal_eval(test.comparators[0])
    except ValueError:
        return None
    answers = set()
    for version in _PYTHONS:
        value = _version(file, test.left, version)
        if compare is None or value is None:
            return None
        try:
            answers.add(compare(value, other))
        except TypeError:
            return None
    return answers.pop() if len(answers) == 1 else None


def _version(file: File, node: ast.expr, version: tuple[int, int]) -> Any:
    """The value of an expression of `sys.version_info` or `sys.version` in a Python; None for any other."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant | ast.Slice):
        whole = _version(file, node.value, version)
        if whole is None:
            return None
        if isinstance(node.slice, ast.Constant):
            return whole[node.slice.value] if node.slice.value in (0, 1) else None
        bounds = [node.slice.lower, node.slice.upper, node.slice.step]
        if all(bound is None or isinstance(bound, ast.Constant) for bound in bounds):
            return whole[slice(*(getattr(bound, "value", None) for bound in bounds))]
        return None
    name = file.canonical(node) if isinstance(node, ast.Name | ast.Attribute) else None
    return {
        "sys.version_info": (*version, 0), "sys.version_info.major": version[0],
        "sys.version": f"{version[0]}.{version[1]}.0",
    }.get(name or "")  # fmt: skip
