"""What can be said for certain of an expression's value: that it is a Python integer, or that it is none.

"float" is everything on which Python 2 and Python 3 divide alike: floats, and arrays or tensors made from them.
"""

from __future__ import annotations

import ast
from typing import Literal

from tf2towers.names.meanings import Assigned, Binding, Meanings, Opaque, Scope
from tf2towers.source.nodes import has_star, is_text, last_name

Kind = Literal["int", "float", "?"]

_INT_CALLS = frozenset({"builtins.int", "builtins.len", "builtins.ord", "builtins.hash", "builtins.id"})
_FLOAT_CALLS = frozenset(
    {
        "builtins.float", "random.gauss", "random.random", "random.uniform", "random.normalvariate", "time.clock",
        "time.time", "time.perf_counter", "time.process_time", "tf.to_float", "tf.sqrt", "tf.exp", "tf.log",
        "tf.random_normal", "tf.random_uniform", "tf.truncated_normal", "tf.sigmoid", "tf.tanh",
        *(
            f"numpy.{name}"
            for name in (
                "arctan", "arctan2", "average", "ceil", "cos", "exp", "float32", "float64", "floor", "hypot",
                "linalg.norm", "linspace", "log", "log10", "log1p", "log2", "mean", "median", "random.normal",
                "random.rand", "random.randn", "random.random", "random.uniform", "sin", "sqrt", "std", "tan", "var",
            )
        ),
    }
)  # fmt: skip
#: arguments that come before the dtype, which may make integers of what is a float else
_BEFORE_DTYPE = {
    "numpy.average": 2, "numpy.linspace": 5, "numpy.mean": 2, "numpy.std": 2, "numpy.var": 2,
    "tf.random_normal": 3, "tf.random_uniform": 3, "tf.truncated_normal": 3,
}  # fmt: skip
_MATH_INTS = frozenset({"math.ceil", "math.floor", "math.trunc", "math.factorial", "math.gcd"})
_FLAGS = {"DEFINE_integer": "int", "DEFINE_float": "float"}


class NumberKinds:
    """The kinds of the expressions of one module."""

    def __init__(self, tree: ast.Module, meanings: Meanings) -> None:
        self._meanings = meanings
        self._flags = _flags(tree)
        self._globals = {
            name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names
        }
        self._names: dict[tuple[Scope, str], Kind] = {}

    def of(self, node: ast.expr) -> Kind:
        """The kind of an expression."""
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool | int):
                return "int"
            return "float" if isinstance(node.value, float | complex) else "?"
        if isinstance(node, ast.UnaryOp):
            return "int" if isinstance(node.op, ast.Not) else self.of(node.operand)
        if isinstance(node, ast.BinOp):
            return self._of_operation(node)
        if isinstance(node, ast.IfExp):
            first, second = self.of(node.body), self.of(node.orelse)
            return first if first == second else "?"
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return self._of_name(node)
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == "FLAGS":
                return self._flags.get(node.attr, "?")
            return "float" if self._meanings.canonical(node) in ("math.pi", "math.e", "numpy.pi") else "?"
        return "?"

    def _of_operation(self, node: ast.BinOp) -> Kind:
        if not isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow):
            return "?"
        if isinstance(node.op, ast.Mod) and _is_text(node.left):
            return "?"
        left, right = self.of(node.left), self.of(node.right)
        if "float" in (left, right) and not _is_list(node.left) and not _is_list(node.right):
            return "float"
        if left == right == "int":
            if isinstance(node.op, ast.Pow):
                natural = isinstance(node.right, ast.Constant)
                return "int" if natural else "?"
            return "int"  # of two integers Python 2's / is an integer, too
        return "?"

    def _of_call(self, node: ast.Call) -> Kind:
        name = self._meanings.canonical(node.func) or ""
        if name in _INT_CALLS:
            return "int"
        if name in _FLOAT_CALLS:
            return "?" if _may_say_its_dtype(node, name) else "float"
        if name.startswith("math.") and name not in _MATH_INTS:
            return "float"
        if name in ("math.ceil", "math.floor", "builtins.round"):
            return "float"  # so they were in Python 2
        if name == "builtins.abs" and len(node.args) == 1:
            return self.of(node.args[0])
        if name in ("builtins.min", "builtins.max") and len(node.args) > 1:
            kinds = {self.of(argument) for argument in node.args}
            return kinds.pop() if len(kinds) == 1 else "?"
        return "?"

    def _of_name(self, node: ast.Name) -> Kind:
        found = self._meanings.scope(node).lookup(node.id)
        if found is None:
            return "?"
        scope, bindings = found
        if isinstance(scope.node, ast.ClassDef) or (
            isinstance(scope.node, ast.Module) and (node.id in self._globals or self._meanings.star_imports)
        ):
            return "?"
        key = (scope, node.id)
        if key not in self._names:
            self._names[key] = "?"  # while it is being found: a name that is made of itself
            self._names[key] = self._of_bindings(node.id, bindings)
        return self._names[key]

    def _of_bindings(self, name: str, bindings: list[Binding]) -> Kind:
        """What a name always is: what it is set to, and what is then added to it, or multiplied with it."""
        first: set[Kind] = set()
        further: set[Kind] = set()
        for binding in bindings:
            update = self._update(name, binding)
            if update is not None:
                further.add(update)
            else:
                first.add(self._of_binding(binding))
        if first == {"float"}:
            return "float"  # whatever is added to it
        return "int" if first == {"int"} and further <= {"int"} else "?"

    def _update(self, name: str, binding: Binding) -> Kind | None:
        """What is added to the name, or multiplied with it: `x += y`, `x = x + y`; None for another binding."""
        if isinstance(binding, Opaque):
            parent = self._meanings.parents.get(binding.node)
            if isinstance(parent, ast.AugAssign) and parent.target is binding.node:
                if isinstance(parent.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
                    return self.of(parent.value)
        elif isinstance(binding, Assigned):
            value = binding.value
            if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
                if isinstance(value.left, ast.Name) and value.left.id == name and not _is_list(value.right):
                    return self.of(value.right)
        return None

    def _of_binding(self, binding: Binding) -> Kind:
        if isinstance(binding, Assigned):
            return self.of(binding.value)
        if not isinstance(binding, Opaque):
            return "?"
        node = binding.node
        parent = self._meanings.parents.get(node)
        if isinstance(parent, ast.For | ast.comprehension) and parent.target is node:
            return "int" if self._calls(parent.iter, "range", "xrange") else "?"
        if isinstance(parent, ast.Tuple) and parent.elts and parent.elts[0] is node:
            loop = self._meanings.parents.get(parent)
            if isinstance(loop, ast.For | ast.comprehension) and loop.target is parent:
                return "int" if self._calls(loop.iter, "enumerate") else "?"
        return "?"

    def _calls(self, node: ast.expr, *names: str) -> bool:
        return isinstance(node, ast.Call) and self._meanings.canonical(node.func) in {
            f"builtins.{name}" for name in names
        }


def _may_say_its_dtype(call: ast.Call, name: str) -> bool:
    """Whether a call that makes floats may be given another dtype, by keyword or by place."""
    return (
        any(keyword.arg in ("dtype", None) for keyword in call.keywords)
        or has_star(call)
        or len(call.args) > _BEFORE_DTYPE.get(name, len(call.args))
    )


def _flags(tree: ast.Module) -> dict[str, Kind]:
    """The flags that a module defines, by name; those it also writes are left out."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            function = last_name(node.func)
            name = node.args[0]
            if function.startswith("DEFINE_") and isinstance(name, ast.Constant):
                found.setdefault(str(name.value), set()).add(_FLAGS.get(function, "?"))
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.attr, set()).add("?")
    return {name: kinds.copy().pop() for name, kinds in found.items() if len(kinds) == 1}  # type: ignore[misc]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or is_text(node)


def _is_list(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple | ast.ListComp) or _is_text(node)
