"""Infers whether an expression's value is certainly a Python integer, or certainly not.

"float" stands for all values that Python 2 and Python 3 divide alike: floats, and arrays or tensors
of floats.
"""

from __future__ import annotations

from typing import Literal

import libcst as cst
from libcst import metadata

from tf2towers.source.python2.names import Names, dotted
from tf2towers.source.python2.tables import read_words

Kind = Literal["int", "float", "?"]

_INT_CALLS = frozenset(f"builtins.{name}" for name in ("int", "len", "ord", "hash", "id"))
#: functions that returned floats in Python 2, among them ceil() and round()
_FLOAT_CALLS = read_words("calls that give floats")
#: function -> number of arguments before its dtype, by which it may return integers instead of
#: floats
_BEFORE_DTYPE = {
    "numpy.average": 2, "numpy.linspace": 5, "numpy.mean": 2, "numpy.std": 2, "numpy.var": 2,
    "tf.random_normal": 3, "tf.random_uniform": 3, "tf.truncated_normal": 3,
}  # fmt: skip
_MATH_INTS = frozenset({"math.trunc", "math.factorial", "math.gcd"})
_NUMERIC = cst.Add | cst.Subtract | cst.Multiply | cst.Divide | cst.FloorDivide | cst.Modulo | cst.Power
_CHANGING = cst.Add | cst.Subtract | cst.Multiply | cst.Divide
_CHANGING_IN_PLACE = cst.AddAssign | cst.SubtractAssign | cst.MultiplyAssign | cst.DivideAssign
_TEXTS = cst.SimpleString | cst.ConcatenatedString | cst.FormattedString
_LISTS = _TEXTS | cst.List | cst.Tuple | cst.ListComp


class NumberKinds:
    """The kinds of the expressions of one module."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._flags = _flags(names.nodes)
        self._known: dict[tuple[metadata.Scope, str], Kind] = {}

    def of(self, node: cst.CSTNode) -> Kind:
        """The kind of an expression."""
        match node:
            case cst.Integer() | cst.Name(value="True" | "False"):
                return "int"
            case cst.Float() | cst.Imaginary():
                return "float"
            case cst.UnaryOperation():
                return "int" if isinstance(node.operator, cst.Not) else self.of(node.expression)
            case cst.BinaryOperation() if isinstance(node.operator, _NUMERIC):
                is_format = isinstance(node.operator, cst.Modulo) and isinstance(node.left, _TEXTS)
                return "?" if is_format else self._of_operation(node)
            case cst.IfExp():
                return self._same(node.body, node.orelse)
            case cst.Call():
                return self._of_call(node)
            case cst.Name():
                return self._of_name(node)
            case cst.Attribute(value=cst.Name(value="FLAGS")):
                return self._flags.get(node.attr.value, "?")
            case cst.Attribute() if self._names.canonical(node) in ("math.pi", "math.e", "numpy.pi"):
                return "float"
        return "?"

    def _same(self, *nodes: cst.CSTNode) -> Kind:
        kinds = {self.of(node) for node in nodes}
        return kinds.pop() if len(kinds) == 1 else "?"

    def _of_operation(self, node: cst.BinaryOperation) -> Kind:
        left, right = self.of(node.left), self.of(node.right)
        if "float" in (left, right):
            return "?" if isinstance(node.left, _LISTS) or isinstance(node.right, _LISTS) else "float"
        may_be_inverse = isinstance(node.operator, cst.Power) and not isinstance(node.right, cst.Integer)
        # in Python 2, the quotient of two integers is an integer, too
        return "int" if left == right == "int" and not may_be_inverse else "?"

    def _of_call(self, node: cst.Call) -> Kind:
        name = self._names.canonical(node.func)
        if name in _INT_CALLS:
            return "int"
        if name in _FLOAT_CALLS:
            placed = [given for given in node.args if given.keyword is None]
            given_dtype = any(
                given.star or (given.keyword and given.keyword.value == "dtype") for given in node.args
            )
            return "?" if given_dtype or len(placed) > _BEFORE_DTYPE.get(name, len(placed)) else "float"
        if name.startswith("math.") and name not in _MATH_INTS:
            return "float"
        several = name in ("builtins.min", "builtins.max") and len(node.args) > 1
        if several or (name == "builtins.abs" and len(node.args) == 1):
            return self._same(*(given.value for given in node.args))
        return "?"

    def _of_name(self, node: cst.Name) -> Kind:
        bound = self._names.assignments(node)
        if not bound or isinstance(bound[0].scope, metadata.ClassScope):
            return "?"
        if isinstance(bound[0].scope, metadata.GlobalScope) and self._names.star_imports:
            return "?"
        key = (bound[0].scope, node.value)
        if key not in self._known:
            self._known[key] = "?"  # in the meantime, for a name that depends on itself
            self._known[key] = self._of_bindings(node.value, [each.node for each in bound])
        return self._known[key]

    def _of_bindings(self, name: str, targets: list[cst.CSTNode]) -> Kind:
        """The kind of a name from all its bindings: values assigned, added or multiplied."""
        first: set[Kind] = set()
        further: set[Kind] = set()
        for target in targets:
            value = self._names.value(target) if isinstance(target, cst.Name) else None
            if (update := self._update(name, target, value)) is not None:
                further.add(self.of(update))
            elif value is not None:
                first.add(self.of(value))
            else:
                first.add("int" if self._counts(target) else "?")
        if first == {"float"}:
            return "float"  # also after any addition
        return "int" if first == {"int"} and further <= {"int"} else "?"

    def _update(
        self, name: str, target: cst.CSTNode, value: cst.BaseExpression | None
    ) -> cst.BaseExpression | None:
        """The value added to a name, or multiplied with it: `x += y`, `x = x + y`; or None."""
        around = self._names.parent(target)
        if isinstance(around, cst.AugAssign) and isinstance(around.operator, _CHANGING_IN_PLACE):
            return around.value
        if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, _CHANGING):
            if dotted(value.left) == name and not isinstance(value.right, _LISTS):
                return value.right
        return None

    def _counts(self, target: cst.CSTNode) -> bool:
        """True if a name is a loop's target over a range, or the first one over `enumerate`."""
        around = self._names.parent(target)
        counted: tuple[str, ...] = ("builtins.range", "builtins.xrange")
        if isinstance(around, cst.Element):
            several = self._names.parent(around)
            if not isinstance(several, cst.Tuple) or several.elements[0] is not around:
                return False
            around, counted = self._names.parent(several), ("builtins.enumerate",)
        return isinstance(around, cst.For | cst.CompFor) and self._names.calls(around.iter, *counted)


def _flags(nodes: list[cst.CSTNode]) -> dict[str, Kind]:
    """Name -> kind of the flags that a module defines, without those that it also assigns."""
    found: dict[str, set[Kind]] = {}
    kinds: dict[str, Kind] = {"DEFINE_integer": "int", "DEFINE_float": "float"}
    for node in nodes:
        if isinstance(node, cst.Call) and node.args and isinstance(node.args[0].value, cst.SimpleString):
            function = (dotted(node.func) or "").rpartition(".")[2]
            if function.startswith("DEFINE_"):
                found.setdefault(str(node.args[0].value.evaluated_value), set()).add(kinds.get(function, "?"))
        elif isinstance(node, cst.AssignTarget | cst.AugAssign) and isinstance(node.target, cst.Attribute):
            found.setdefault(node.target.attr.value, set()).add("?")
    return {name: next(iter(each)) for name, each in found.items() if len(each) == 1}
