"""What can be said for certain of an expression's value: that it is a Python integer, or that it is not.

"float" is everything on which Python 2 and Python 3 divide alike: floats, and arrays or tensors made from them.
"""

from __future__ import annotations

import ast
from typing import Literal

from tf2towers.source.nodes import has_star, is_text, last_name
from tf2towers.source.python2.scopes import Binding, Scope, Scopes
from tf2towers.source.python2.tables import read_words

Kind = Literal["int", "float", "?"]

_INT_CALLS = frozenset(f"builtins.{name}" for name in ("int", "len", "ord", "hash", "id"))
#: those that gave floats in Python 2: ceil() and round(), too
_FLOAT_CALLS = read_words("calls that give floats")
#: arguments that come before the dtype, which may make integers of what is a float else
_BEFORE_DTYPE = {
    "numpy.average": 2, "numpy.linspace": 5, "numpy.mean": 2, "numpy.std": 2, "numpy.var": 2,
    "tf.random_normal": 3, "tf.random_uniform": 3, "tf.truncated_normal": 3,
}  # fmt: skip
_MATH_INTS = frozenset({"math.trunc", "math.factorial", "math.gcd"})
_NUMERIC = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow


class NumberKinds:
    """The kinds of the expressions of one module."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._flags = _flags(scopes.nodes)
        self._globals = {name for node in scopes.nodes if isinstance(node, ast.Global) for name in node.names}
        self._names: dict[tuple[Scope, str], Kind] = {}

    def of(self, node: ast.expr) -> Kind:
        """The kind of an expression."""
        match node:
            case ast.Constant(value=bool() | int()):
                return "int"
            case ast.Constant(value=float() | complex()):
                return "float"
            case ast.UnaryOp():
                return "int" if isinstance(node.op, ast.Not) else self.of(node.operand)
            case ast.BinOp(op=op) if isinstance(op, _NUMERIC) and not (
                isinstance(op, ast.Mod) and _is_text(node.left)
            ):
                return self._of_operation(node)
            case ast.IfExp():
                return self._same(node.body, node.orelse)
            case ast.Call():
                return self._of_call(node)
            case ast.Name(ctx=ast.Load()):
                return self._of_name(node)
            case ast.Attribute(value=ast.Name(id="FLAGS")):
                return self._flags.get(node.attr, "?")
            case ast.Attribute() if self._scopes.canonical(node) in ("math.pi", "math.e", "numpy.pi"):
                return "float"
        return "?"

    def _same(self, *nodes: ast.expr) -> Kind:
        kinds = {self.of(node) for node in nodes}
        return kinds.pop() if len(kinds) == 1 else "?"

    def _of_operation(self, node: ast.BinOp) -> Kind:
        left, right = self.of(node.left), self.of(node.right)
        if "float" in (left, right) and not _is_list(node.left) and not _is_list(node.right):
            return "float"
        if left == right == "int" and (
            not isinstance(node.op, ast.Pow) or isinstance(node.right, ast.Constant)
        ):
            return "int"  # of two integers Python 2's / is an integer, too
        return "?"

    def _of_call(self, node: ast.Call) -> Kind:
        name = self._scopes.canonical(node.func) or ""
        if name in _INT_CALLS:
            return "int"
        if name in _FLOAT_CALLS:
            keywords = any(keyword.arg in ("dtype", None) for keyword in node.keywords)
            placed = len(node.args) > _BEFORE_DTYPE.get(name, len(node.args))
            return "?" if keywords or placed or has_star(node) else "float"
        if name.startswith("math.") and name not in _MATH_INTS:
            return "float"
        if (name == "builtins.abs" and len(node.args) == 1) or (
            name in ("builtins.min", "builtins.max") and len(node.args) > 1
        ):
            return self._same(*node.args)
        return "?"

    def _of_name(self, node: ast.Name) -> Kind:
        found = self._scopes.scope(node).lookup(node.id)
        if found is None or isinstance(found[0].node, ast.ClassDef):
            return "?"
        if found[0] is self._scopes.module and (node.id in self._globals or self._scopes.star_imports):
            return "?"
        key = (found[0], node.id)
        if key not in self._names:
            self._names[key] = "?"  # while it is being found: a name that is made of itself
            self._names[key] = self._of_bindings(node.id, found[1])
        return self._names[key]

    def _of_bindings(self, name: str, bindings: list[Binding]) -> Kind:
        """What a name always is: what it is set to, and what is then added to it, or multiplied with it."""
        first: set[Kind] = set()
        further: set[Kind] = set()
        for binding in bindings:
            update = self._update(name, binding)
            if update is not None:
                further.add(self.of(update))
            elif binding.kind == "value" and isinstance(binding.node, ast.expr):
                first.add(self.of(binding.node))
            else:
                first.add("int" if self._counts(binding.node) else "?")
        if first == {"float"}:
            return "float"  # whatever is added to it
        return "int" if first == {"int"} and further <= {"int"} else "?"

    def _update(self, name: str, binding: Binding) -> ast.expr | None:
        """What is added to the name, or multiplied with it: `x += y`, `x = x + y`; None for another binding."""
        changing = ast.Add | ast.Sub | ast.Mult | ast.Div
        match self._scopes.parents.get(binding.node) if binding.kind == "other" else binding.node:
            case ast.AugAssign() as parent if parent.target is binding.node and isinstance(
                parent.op, changing
            ):
                return parent.value
            case ast.BinOp(left=ast.Name(id=left)) as value if binding.kind == "value" and left == name:
                return value.right if isinstance(value.op, changing) and not _is_list(value.right) else None
        return None

    def _counts(self, node: ast.AST) -> bool:
        """Whether it is the target of a loop over a range, or the first one of a loop over `enumerate`."""
        parent = self._scopes.parents.get(node)
        ranges = ("builtins.range", "builtins.xrange")
        if isinstance(parent, ast.Tuple) and parent.elts[0] is node:
            node, parent, ranges = parent, self._scopes.parents.get(parent), ("builtins.enumerate", "")
        return (
            isinstance(parent, ast.For | ast.comprehension)
            and parent.target is node
            and self._scopes.calls(parent.iter, *ranges)
        )


def _flags(nodes: list[ast.AST]) -> dict[str, Kind]:
    """The flags that a module defines, by name; those it also writes are left out."""
    found: dict[str, set[Kind]] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            function = last_name(node.func)
            if function.startswith("DEFINE_"):
                kinds: dict[str, Kind] = {"DEFINE_integer": "int", "DEFINE_float": "float"}
                found.setdefault(str(node.args[0].value), set()).add(kinds.get(function, "?"))
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.attr, set()).add("?")
    return {name: next(iter(kinds)) for name, kinds in found.items() if len(kinds) == 1}


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or is_text(node)


def _is_list(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple | ast.ListComp) or _is_text(node)
