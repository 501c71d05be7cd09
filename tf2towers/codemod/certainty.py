"""Which expressions can be evaluated once more, earlier, without effect and with the same result."""

from __future__ import annotations

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.program import File

#: functions that iterate over their whole argument before they return
GOES_THROUGH = frozenset({
    "builtins.all", "builtins.any", "builtins.dict", "builtins.frozenset", "builtins.list", "builtins.max",
    "builtins.min", "builtins.set", "builtins.sorted", "builtins.sum", "builtins.tuple",
})  # fmt: skip
RANGES = frozenset({"builtins.range", "builtins.xrange", "six.moves.range", "six.moves.xrange"})
ZIPS = frozenset({"builtins.zip", "six.moves.zip"})
#: functions without side effects; their results can be iterated once
_PURE = RANGES | ZIPS | {
    "builtins.enumerate", "builtins.len", "builtins.list", "builtins.tuple", "builtins.sorted",
    "builtins.int", "builtins.min", "builtins.max", "builtins.str", "builtins.reversed",
}  # fmt: skip
#: those whose arguments may hold anything, because they do not iterate over them
_OF_VALUES = RANGES | {
    "builtins.len", "builtins.int", "builtins.str", "builtins.min", "builtins.max",
}  # fmt: skip
#: other expressions that give the same when they are evaluated again; `a.split()` does, `tf.split` does not
_PLAIN = (
    cst.Name, cst.Attribute, cst.BinaryOperation, cst.Subscript, cst.Slice, cst.FormattedString, cst.ConcatenatedString,
)  # fmt: skip
#: methods that change a list
CHANGES = frozenset({
    "append", "clear", "extend", "insert", "pop", "popleft", "remove", "reverse", "rotate", "sort", "update",
})  # fmt: skip
METHODS = frozenset({"split", "format", "strip", "lower", "upper"})
_LISTS = RANGES | {
    "builtins.list",
    "builtins.sorted",
    "builtins.tuple",
    "tf.split",
    "tf.unstack",
    "tf.unpack",
}


def is_certain(file: File, node: cst.CSTNode | None, *, value: bool = False) -> bool:
    """True if evaluating an expression once more has no effect and gives the same.

    With `value`, nothing iterates over the result: then a name or an attribute may hold anything.
    """
    if node is None or not all(_evaluates_alike(file, part) for part in nodes.walk(node)):
        return False
    return value or _goes_again(file, node)


def _evaluates_alike(file: File, part: cst.CSTNode) -> bool:
    """True if evaluating a part once more gives the same, where all that is in it does."""
    if isinstance(part, cst.Call):
        name = file.canonical(part.func)
        if not all(map(nodes.is_plain, part.args)):
            return False
        if name in _PURE:
            return name in _OF_VALUES or all(_goes_again(file, given.value) for given in part.args)
        return name is None and nodes.method_of(part) in METHODS
    if isinstance(part, cst.List | cst.Tuple):
        return not nodes.has_star(part)
    if isinstance(part, cst.FormattedStringExpression):
        return part.format_spec is None
    return nodes.is_literal(part) or isinstance(part, _PLAIN)


def _goes_again(file: File, node: cst.CSTNode) -> bool:
    """True if the value of an expression that `_evaluates_alike` can be iterated again and again."""
    if isinstance(node, cst.BinaryOperation):
        return _goes_again(file, node.left) and _goes_again(file, node.right)
    if isinstance(node, cst.Subscript):
        return isinstance(nodes.index_of(node), cst.Slice)  # an item may be anything
    if isinstance(node, cst.Attribute):
        return _attribute_is_list(file, node)
    values = file.meanings.values(node)
    return not nodes.is_name(node) or (bool(values) and all(makes_list(file, each) for each in values))


def _attribute_is_list(file: File, node: cst.Attribute) -> bool:
    """True if every value that the program gives to an attribute of this name is a list."""
    given = file.program.given_to_attributes(node.attr.value)
    return bool(given) and all(makes_list(other, value) for other, value in given)


def is_literal_list(file: File, value: cst.BaseExpression) -> bool:
    """True if an expression is a list or a tuple that is written out, or a name for such alone."""
    values = file.meanings.values(value) if nodes.is_name(value) else [value]
    return bool(values) and all(isinstance(each, cst.List | cst.Tuple | cst.ListComp) for each in values)


def makes_list(file: File, value: cst.BaseExpression | None) -> bool:
    """True if an expression gives a list (or a tuple, or a range) that can be iterated again and again."""
    if isinstance(value, cst.IfExp):
        return makes_list(file, value.body) and makes_list(file, value.orelse)
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Multiply | cst.Add):
        return makes_list(file, value.left)
    if isinstance(value, cst.Call):
        return file.called(value) in _LISTS or nodes.method_of(value) == "split"
    if isinstance(value, cst.Subscript):  # a part of a list
        return isinstance(nodes.index_of(value), cst.Slice) and is_literal_list(file, value.value)
    return isinstance(value, cst.List | cst.Tuple | cst.ListComp)
