"""Which expressions can be evaluated once more, earlier, without effect and with the same result."""

from __future__ import annotations

import ast

from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned, Binding
from tf2towers.source.nodes import has_star

RANGES = frozenset({"builtins.range", "builtins.xrange", "six.moves.range", "six.moves.xrange"})
#: functions that have no effect and give something that can be gone through once
_PURE = RANGES | {
    "builtins.enumerate", "builtins.zip", "builtins.len", "builtins.list", "builtins.tuple", "builtins.sorted",
    "builtins.int", "builtins.min", "builtins.max", "builtins.str", "six.moves.zip", "builtins.reversed",
}  # fmt: skip
#: those whose arguments may be any value, for nothing goes through it
_OF_VALUES = RANGES | {"builtins.len", "builtins.int", "builtins.str", "builtins.min", "builtins.max"}
_METHODS = frozenset({"split", "format", "strip", "lower", "upper"})
_LISTS = RANGES | {
    "builtins.list",
    "builtins.sorted",
    "builtins.tuple",
    "tf.split",
    "tf.unstack",
    "tf.unpack",
}


def is_certain(file: File, node: ast.AST, *, value: bool = False) -> bool:
    """Whether evaluating an expression once more has no effect and gives the same.

    `value` says that nothing goes through the result: then a name or an attribute may hold anything.
    """
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.List | ast.Tuple):
        return all(is_certain(file, element, value=True) for element in node.elts)
    if isinstance(node, ast.BinOp):
        return is_certain(file, node.left, value=value) and is_certain(file, node.right, value=value)
    if isinstance(node, ast.Subscript):
        if not value and not isinstance(node.slice, ast.Slice):
            return False  # an item may be anything
        return is_certain(file, node.value, value=True) and is_certain(file, node.slice, value=True)
    if isinstance(node, ast.Slice):
        parts = [bound for bound in (node.lower, node.upper, node.step) if bound is not None]
        return all(is_certain(file, part, value=True) for part in parts)
    if isinstance(node, ast.JoinedStr):
        return all(is_certain(file, operand, value=True) for operand in node.values)
    if isinstance(node, ast.FormattedValue):
        return node.format_spec is None and is_certain(file, node.value, value=True)
    if isinstance(node, ast.Call):
        return _is_certain_call(file, node)
    if isinstance(node, ast.Attribute):
        return is_certain(file, node.value, value=True) and (value or _attribute_is_list(file, node))
    if isinstance(node, ast.Name):
        return value or _is_list(file, file.meanings.bindings(node))
    return False


def _is_certain_call(file: File, call: ast.Call) -> bool:
    if call.keywords or has_star(call):
        return False
    name = file.canonical(call.func)
    if name in _PURE:
        return all(is_certain(file, argument, value=name in _OF_VALUES) for argument in call.args)
    if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS and name is None:  # not tf.split
        return is_certain(file, call.func.value, value=True) and all(
            is_certain(file, argument, value=True) for argument in call.args
        )
    return False


def _is_list(file: File, bindings: list[Binding]) -> bool:
    """Whether a name certainly holds a list, and not something that can be gone through only once."""
    return bool(bindings) and all(
        isinstance(binding, Assigned) and makes_list(file, binding.value) for binding in bindings
    )


def _attribute_is_list(file: File, node: ast.Attribute) -> bool:
    """Whether every value that the program gives to an attribute of this name is a list."""
    values = [
        statement.value
        for other in file.program.files
        for statement in other.all(ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Attribute) and target.attr == node.attr
    ]
    return bool(values) and all(makes_list(file, value) for value in values)


def makes_list(file: File, value: ast.expr) -> bool:
    """Whether an expression gives a list (or a tuple, or a range) that can be gone through again and again."""
    if isinstance(value, ast.IfExp):
        return makes_list(file, value.body) and makes_list(file, value.orelse)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult | ast.Add):
        return makes_list(file, value.left)
    if isinstance(value, ast.Call):
        if file.canonical(value.func) in _LISTS:
            return True
        return isinstance(value.func, ast.Attribute) and value.func.attr == "split"
    return isinstance(value, ast.List | ast.Tuple | ast.ListComp)
