"""`Scopes`: what binds each name of one module, and which library's name an expression is."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from tf2towers.source.nodes import Function, bound_by, imported, module_of

_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
#: nodes that say how, not what; Python shares one object of each
_MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
_OF_PYTHON2 = frozenset(
    {"xrange", "unicode", "raw_input", "basestring", "long", "unichr", "reduce", "cmp", "execfile"}
)


@dataclass(frozen=True)
class Binding:
    """What binds a name: the value that is seen, the import, the definition, or a node that binds in another way."""

    kind: Literal["import", "value", "definition", "other"]
    node: ast.AST
    target: str = ""


@dataclass(eq=False)
class Scope:
    """One scope: what binds each name in it, and the scope around it."""

    node: ast.AST
    parent: Scope | None = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, Scope] = field(default_factory=dict)

    def bind(
        self,
        name: str,
        kind: Literal["import", "value", "definition", "other"],
        node: ast.AST,
        target: str = "",
    ) -> None:
        """Adds a binding."""
        self.elsewhere.get(name, self).bindings.setdefault(name, []).append(Binding(kind, node, target))

    def lookup(self, name: str) -> tuple[Scope, list[Binding]] | None:
        """The scope whose name it is, and its bindings; None for a builtin or an undefined name."""
        scope: Scope | None = self.elsewhere.get(name, self)
        first = scope
        while scope is not None:
            if name in scope.bindings and (scope is first or not isinstance(scope.node, ast.ClassDef)):
                return scope, scope.bindings[name]
            scope = scope.parent
        return None


class Scopes:
    """The nodes of one module, each before its parts, their parents, and the scopes they are in."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        self.star_imports: list[str] = []
        self._scopes: dict[ast.AST, Scope] = {}
        self._active: set[ast.AST] = set()
        pending: list[tuple[ast.AST, Scope]] = [(tree, self.module)]
        while pending:
            node, scope = pending.pop()
            self._scopes[node] = scope
            self.nodes.append(node)
            self._bind(node, scope)
            children = [each for each in self._children(node, scope) if not isinstance(each[0], _MARKS)]
            self.parents.update((child, node) for child, _ in children)
            pending.extend(reversed(children))
        roots = {_rooted(module) for module in self.star_imports if not module.startswith(".")}
        self._star_root = (
            next((root for root in roots if root.split(".")[0] == "tf"), "") if len(roots) == 1 else ""
        )

    def scope(self, node: ast.AST) -> Scope:
        """The scope that a node is in."""
        return self._scopes[node] if node in self._scopes else self.scope(self.parents[node])

    def bindings(self, name: ast.Name) -> list[Binding]:
        """All that binds a name where it is used; nothing for a builtin."""
        found = self.scope(name).lookup(name.id)
        return found[1] if found is not None else []

    def canonical(self, node: ast.AST) -> str | None:
        """The dotted name of a Name or Attribute (`numpy.mean`), where all that binds it agrees."""
        if isinstance(node, ast.Attribute):
            base = self.canonical(node.value)
            return None if base is None else _rooted(f"{base}.{node.attr}")
        if not isinstance(node, ast.Name):
            return None
        found = self.scope(node).lookup(node.id)
        if found is None:
            if node.id in _OF_PYTHON2 or hasattr(builtins, node.id):
                return f"builtins.{node.id}"
            return f"{self._star_root}.{node.id}" if self._star_root else None
        meanings = {self._meaning(binding) for binding in found[1] if binding.node not in self._active}
        return meanings.pop() if len(meanings) == 1 else None

    def calls(self, node: ast.AST, *names: str) -> bool:
        """Whether an expression is a call of one of these functions."""
        return isinstance(node, ast.Call) and self.canonical(node.func) in names

    def _meaning(self, binding: Binding) -> str | None:
        if binding.kind == "import":
            return _rooted(binding.target)
        if binding.kind != "value":
            return None
        self._active.add(binding.node)
        try:
            return self.canonical(binding.node)
        finally:
            self._active.discard(binding.node)

    def _children(self, node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
        """The parts of a node, and the scope that each is evaluated in."""
        around = scope.parent or scope
        inner = scope
        if isinstance(node, Function | ast.ClassDef | ast.Lambda | _Comprehension):
            inner = Scope(node, scope)
            self._declare(node, inner)
        own = {id(part) for part in node.body} if isinstance(node, Function | ast.ClassDef) else set()
        for child in ast.iter_child_nodes(node):
            if isinstance(node, Function | ast.ClassDef):
                yield child, inner if id(child) in own or isinstance(child, ast.arguments) else scope
            elif isinstance(node, ast.arguments):
                yield child, scope if isinstance(child, ast.arg) else around
            elif isinstance(node, ast.arg):
                yield child, around
            elif isinstance(node, ast.comprehension) and child is node.iter:
                first = isinstance(scope.node, _Comprehension) and scope.node.generators[0] is node
                yield child, around if first else scope
            else:
                yield child, inner

    def _declare(self, node: ast.AST, scope: Scope) -> None:
        """Gives the names of `global` statements to the module, before the body is read."""
        pending: list[ast.AST] = [*node.body] if isinstance(node, Function | ast.ClassDef) else []
        while pending:
            part = pending.pop()
            if isinstance(part, ast.Global):
                scope.elsewhere.update(dict.fromkeys(part.names, self.module))
            elif not isinstance(part, Function | ast.ClassDef | ast.expr):
                pending.extend(ast.iter_child_nodes(part))

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias, target in imported(node):
                if alias.name == "*" and isinstance(node, ast.ImportFrom):
                    self.star_imports.append(module_of(node))
                else:
                    whole = alias.asname or isinstance(node, ast.ImportFrom)
                    scope.bind(bound_by(alias), "import", alias, target if whole else bound_by(alias))
        elif isinstance(node, Function | ast.ClassDef):
            scope.bind(node.name, "definition", node)
        elif isinstance(node, ast.arg):
            scope.bind(node.arg, "other", node)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            scope.bind(node.name, "other", node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            value = self._value(node)
            scope.bind(node.id, *(("value", value) if value is not None else ("other", node)))

    def _value(self, node: ast.Name) -> ast.expr | None:
        """What a name is set to, where that is seen: `a = 1`, `a, b = 1, 2`."""
        parent = self.parents[node]
        if isinstance(parent, ast.Assign | ast.AnnAssign):
            return parent.value
        if isinstance(parent, ast.Tuple | ast.List):
            statement = self.parents[parent]
            value = statement.value if isinstance(statement, ast.Assign) else None
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(parent.elts):
                if not any(isinstance(each, ast.Starred) for each in (*value.elts, *parent.elts)):
                    return value.elts[parent.elts.index(node)]
        return None


def _rooted(dotted: str) -> str:
    """A dotted name, rooted at `tf` where it is TensorFlow's."""
    return re.sub(r"^(tensorflow(\.compat\.v1)?|tf\.compat\.v1)(?=\.|$)", "tf", dotted)
