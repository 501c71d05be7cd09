"""Which expressions can be evaluated once more, earlier, without effect and with the same result."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod.file import File
from tf2towers.codemod.meanings import Assigned, Binding
from tf2towers.codemod.nodes import (
    has_star,
    index_of,
    is_literal,
    is_name,
    is_plain,
    items,
    positional,
    targets,
)

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


def is_certain(file: File, node: cst.CSTNode | None, *, value: bool = False) -> bool:
    """Whether evaluating an expression once more has no effect and gives the same.

    `value` says that nothing goes through the result: then a name or an attribute may hold anything.
    """
    if is_literal(node):
        return True
    if isinstance(node, cst.List | cst.Tuple):
        return not has_star(node) and all(is_certain(file, element, value=True) for element in items(node))
    if isinstance(node, cst.BinaryOperation):
        return is_certain(file, node.left, value=value) and is_certain(file, node.right, value=value)
    if isinstance(node, cst.Subscript):
        index = index_of(node)
        if not value and not isinstance(index, cst.Slice):
            return False  # an item may be anything
        return is_certain(file, node.value, value=True) and is_certain(file, index, value=True)
    if isinstance(node, cst.Slice):
        parts = [bound for bound in (node.lower, node.upper, node.step) if bound is not None]
        return all(is_certain(file, part, value=True) for part in parts)
    if isinstance(node, cst.FormattedString):
        return all(is_certain(file, part, value=True) for part in node.parts)
    if isinstance(node, cst.ConcatenatedString):
        return is_certain(file, node.left, value=True) and is_certain(file, node.right, value=True)
    if isinstance(node, cst.FormattedStringExpression):
        return node.format_spec is None and is_certain(file, node.expression, value=True)
    if isinstance(node, cst.Call):
        return _is_certain_call(file, node)
    if isinstance(node, cst.Attribute):
        return is_certain(file, node.value, value=True) and (value or _attribute_is_list(file, node))
    if is_name(node):
        return value or _is_list(file, file.meanings.bindings(node))
    return False


def _is_certain_call(file: File, call: cst.Call) -> bool:
    if not all(map(is_plain, call.args)):
        return False
    given = positional(call)
    name = file.canonical(call.func)
    if name in _PURE:
        return all(is_certain(file, argument, value=name in _OF_VALUES) for argument in given)
    if (
        isinstance(call.func, cst.Attribute) and call.func.attr.value in _METHODS and name is None
    ):  # not tf.split
        return is_certain(file, call.func.value, value=True) and all(
            is_certain(file, argument, value=True) for argument in given
        )
    return False


def _is_list(file: File, bindings: list[Binding]) -> bool:
    """Whether a name certainly holds a list, and not something that can be gone through only once."""
    return bool(bindings) and all(
        isinstance(binding, Assigned) and makes_list(file, binding.value) for binding in bindings
    )


def _attribute_is_list(file: File, node: cst.Attribute) -> bool:
    """Whether every value that the program gives to an attribute of this name is a list."""
    values = [
        statement.value
        for other in file.program.files
        for statement in other.all(cst.Assign)
        for target in targets(statement)
        if isinstance(target, cst.Attribute) and target.attr.value == node.attr.value
    ]
    return bool(values) and all(makes_list(file, value) for value in values)


def _is_literal_list(file: File, value: cst.BaseExpression) -> bool:
    bindings = file.meanings.bindings(value)
    return bool(bindings) and all(
        isinstance(binding, Assigned) and isinstance(binding.value, cst.List | cst.Tuple | cst.ListComp)
        for binding in bindings
    )


def makes_list(file: File, value: cst.BaseExpression) -> bool:
    """Whether an expression gives a list (or a tuple, or a range) that can be gone through again and again."""
    if isinstance(value, cst.IfExp):
        return makes_list(file, value.body) and makes_list(file, value.orelse)
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Multiply | cst.Add):
        return makes_list(file, value.left)
    if isinstance(value, cst.Call):
        if file.canonical(value.func) in _LISTS:
            return True
        return isinstance(value.func, cst.Attribute) and value.func.attr.value == "split"
    if isinstance(value, cst.Subscript):  # a part of a list
        return isinstance(index_of(value), cst.Slice) and _is_literal_list(file, value.value)
    return isinstance(value, cst.List | cst.Tuple | cst.ListComp)
