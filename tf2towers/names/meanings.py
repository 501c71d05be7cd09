"""`Meanings`: what every name of a module stands for, read from Python's own syntax tree in one pass.

The scopes are Python's: modules, functions, lambdas, classes and comprehensions, `global` and `nonlocal`. A name means
something only where all its bindings in its scope agree; an answer is a canonical dotted name (`tf.train.Saver`,
`numpy.mean`), rooted at `tf` for TensorFlow however it was imported.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tf2towers.names.canonical import PYTHON2_BUILTINS, canonical_name
from tf2towers.source.nodes import Function, bound_by, imported, last_name, module_of

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True)
class Imported:
    """A name bound by an import: it stands for the dotted name `target`."""

    target: str
    statement: ast.Import | ast.ImportFrom
    alias: ast.alias


@dataclass(frozen=True)
class Assigned:
    """A name bound to a value that is seen: `name = value`."""

    value: ast.expr


@dataclass(frozen=True)
class Defined:
    """A name bound by `def` or `class`."""

    node: Function | ast.ClassDef


@dataclass(frozen=True)
class Opaque:
    """A name bound in any other way: a parameter, a loop's target, `+=`, a `with`."""

    node: ast.AST


#: nodes that say how, not what; Python shares one object of each
_MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)

Binding = Imported | Assigned | Defined | Opaque


@dataclass(eq=False)
class Scope:
    """One scope: what binds each name in it, and the scope around it."""

    node: ast.AST
    parent: Scope | None = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    elsewhere: dict[str, Scope] = field(default_factory=dict)

    def bind(self, name: str, binding: Binding) -> None:
        """Adds a binding."""
        self.elsewhere.get(name, self).bindings.setdefault(name, []).append(binding)

    def lookup(self, name: str) -> tuple[Scope, list[Binding]] | None:
        """The scope whose name it is, and its bindings; None for a builtin or an undefined name."""
        scope: Scope | None = self.elsewhere.get(name, self)
        first = True
        while scope is not None:
            if name in scope.bindings and (first or not isinstance(scope.node, ast.ClassDef)):
                return scope, scope.bindings[name]
            scope, first = scope.parent, False
        return None


class Meanings:
    """Scopes, parents and meanings of one module's nodes."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree)
        self.parents: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        self.star_imports: list[str] = []
        #: what a dotted name of another module of the program means, where it is TensorFlow's
        self.through: Callable[[str], str | None] = lambda dotted: None
        self._scopes: dict[ast.AST, Scope] = {}
        self._known: dict[tuple[Scope, str], str | None] = {}
        self._active: set[ast.AST] = set()
        self._walk(tree)
        self._star_root = self._root_of_stars()

    def forget(self, statements: set[ast.Import | ast.ImportFrom]) -> None:
        """Takes away what imports that are never run bind, where something else binds the name too."""
        for scope in {*self._scopes.values()}:
            for name, bindings in scope.bindings.items():
                kept = [
                    binding
                    for binding in bindings
                    if not (isinstance(binding, Imported) and binding.statement in statements)
                ]
                scope.bindings[name] = kept or bindings
        self._known.clear()

    def scope(self, node: ast.AST) -> Scope:
        """The scope a node stands in."""
        while node not in self._scopes:
            node = self.parents[node]
        return self._scopes[node]

    def canonical(self, node: ast.AST) -> str | None:
        """The canonical dotted name of a Name or Attribute; None when it is neither, or not known."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        name = self.canonical_of(node.id, self._scopes[node])
        if name is None or not parts:
            return name
        if name.partition(".")[0] != "tf" and (found := self.through(f"{name}.{parts[-1]}")) is not None:
            name = found
            parts.pop()
        return canonical_name(".".join([name, *reversed(parts)]))

    def canonical_of(self, name: str, scope: Scope) -> str | None:
        """What the bare `name` means in a scope."""
        key = (scope, name)
        if key not in self._known:
            meaning = self._resolve(name, scope)
            if self._active:  # an answer found while following an alias may be a partial one
                return meaning
            self._known[key] = meaning
        return self._known[key]

    def bindings(self, node: ast.Name) -> list[Binding]:
        """Everything that binds a name where it is used; nothing for a builtin."""
        found = self._scopes[node].lookup(node.id)
        return self._visible(node.id, *found) if found is not None else []

    def possible_meanings(self, node: ast.Name) -> set[str]:
        """What a name may stand for, where its bindings do not agree: the meanings of those that have one."""
        bindings = self.bindings(node)
        if not bindings and node.id == "tf" and not hasattr(builtins, node.id):
            return {"tf"}  # bound by means that are not seen
        found: set[str | None] = {self._meaning(binding) for binding in bindings}
        if len(bindings) > 1 and any(found) and (last := self._in_force(node)) is not None:
            bindings = [last]
            found = {self._meaning(last)}
        for binding in bindings:
            if (
                node.id == "tf"
                and isinstance(binding, Assigned)
                and isinstance(binding.value, ast.Call | ast.Subscript)
            ):
                found.add("tf" if _imports(binding.value) else None)
            if isinstance(binding, Opaque) and isinstance(binding.node, ast.arg):
                default = self._default(binding.node)
                found.add(self.canonical(default) if default is not None else None)
                if node.id == "tf":
                    found.add("tf")
        looked_up = self._scopes[node].lookup(node.id) if self.star_imports else None
        if looked_up is not None and looked_up[0] is self.module:
            found.add(self._by_stars(node.id))
        return {meaning for meaning in found if meaning is not None}

    def _in_force(self, node: ast.Name) -> Binding | None:
        """Of several bindings of a name the one that certainly holds where it is used; None where that is not certain.

        It is certain where all of them are statements of one body, one after the other, under no condition: what
        stands behind one of them in that body sees it, up to the next; a function sees the last one if it is
        defined behind it.
        """
        found = self._scopes[node].lookup(node.id)
        if found is None or self.star_imports:
            return None
        home, bindings = found
        body = getattr(home.node, "body", None)
        if not isinstance(home.node, ast.Module | Function) or not isinstance(body, list):
            return None
        places = {statement: place for place, statement in enumerate(body)}
        bound = [places.get(statement) for binding in bindings if (statement := self._statement_of(binding))]
        if len(bound) < len(bindings) or None in bound or self._deleted(node.id):
            return None
        use: ast.AST = node
        later = False  # whether the use may come long after the text around it was run
        while self.parents.get(use) is not home.node:
            if use not in self.parents:
                return None
            use = self.parents[use]
            later = later or isinstance(use, Function | ast.Lambda | ast.GeneratorExp)
        if use not in places:
            return None
        earlier = [
            binding
            for binding, place in zip(bindings, bound, strict=True)
            if place is not None and place < places[use]
        ]
        return earlier[-1] if earlier and (len(earlier) == len(bindings) or not later) else None

    def _statement_of(self, binding: Binding) -> ast.AST | None:
        """The statement that does nothing but bind a name."""
        if isinstance(binding, Imported):
            return binding.statement
        if isinstance(binding, Defined):
            return binding.node
        if isinstance(binding, Opaque):
            return None
        node = self.parents[binding.value]
        while isinstance(node, ast.Tuple | ast.List):
            node = self.parents[node]
        return node if isinstance(node, ast.Assign | ast.AnnAssign) else None

    def _deleted(self, name: str) -> bool:
        return any(
            isinstance(inner, ast.Name) and inner.id == name and isinstance(inner.ctx, ast.Del)
            for inner in self.nodes
        )

    def _default(self, parameter: ast.arg) -> ast.expr | None:
        """The value that a parameter has where a call gives none."""
        where = self.parents[parameter]
        assert isinstance(where, ast.arguments)
        if parameter in where.kwonlyargs:
            return where.kw_defaults[where.kwonlyargs.index(parameter)]
        names = [*where.posonlyargs, *where.args]
        place = names.index(parameter) - len(names) + len(where.defaults) if parameter in names else -1
        return where.defaults[place] if place >= 0 else None

    def _visible(self, name: str, home: Scope, bindings: list[Binding]) -> list[Binding]:
        """The bindings of a name; before a class binds it, its body reads that of the scope around: `tf = tf`."""
        if not isinstance(home.node, ast.ClassDef):
            return bindings
        own = [
            binding
            for binding in bindings
            if not (
                isinstance(binding, Assigned)
                and isinstance(binding.value, ast.Name)
                and binding.value.id == name
            )
        ]
        scope = home.parent
        while scope is not None and isinstance(scope.node, ast.ClassDef):
            scope = scope.parent
        around = scope.lookup(name) if scope is not None else None
        return own + (self._visible(name, *around) if around is not None else [])

    def imported(self, name: str, scope: Scope) -> bool:
        """Whether a name is bound by imports alone (or comes from a star import)."""
        found = scope.lookup(name)
        if found is None:
            return True
        return all(isinstance(binding, Imported) or _is_none(binding) for binding in found[1])

    # -- the pass over the tree -------------------------------------------------------------------------------------

    def _walk(self, tree: ast.Module) -> None:
        pending: list[tuple[ast.AST, Scope]] = [(tree, self.module)]
        while pending:
            node, scope = pending.pop()
            self._scopes[node] = scope
            self.nodes.append(node)
            self._bind(node, scope)
            children = [child for child in self._children(node, scope) if not isinstance(child[0], _MARKS)]
            for child, _ in children:
                self.parents[child] = node
            pending.extend(reversed(children))

    def _children(self, node: ast.AST, scope: Scope) -> Iterator[tuple[ast.AST, Scope]]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inner = Scope(node, scope)
            self._declared(node, inner)
            outside = {id(child) for child in _outside(node)}
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.arguments):
                    yield child, inner
                else:
                    yield child, scope if id(child) in outside else inner
        elif isinstance(node, ast.arguments):
            for child in ast.iter_child_nodes(node):
                yield child, scope if isinstance(child, ast.arg) else scope.parent or scope
        elif isinstance(node, ast.arg):
            for child in ast.iter_child_nodes(node):
                yield child, scope.parent or scope
        elif isinstance(node, ast.ClassDef):
            inner = Scope(node, scope)
            body = {id(child) for child in node.body}
            self._declared(node, inner)
            for child in ast.iter_child_nodes(node):
                yield child, inner if id(child) in body else scope
        elif isinstance(node, Comprehension):
            inner = Scope(node, scope)
            for child in ast.iter_child_nodes(node):
                yield child, inner
        elif isinstance(node, ast.comprehension):
            owner = scope.node
            first = isinstance(owner, Comprehension) and owner.generators[0] is node
            for child in ast.iter_child_nodes(node):
                yield child, (scope.parent or scope) if first and child is node.iter else scope
        else:
            for child in ast.iter_child_nodes(node):
                yield child, scope

    def _declared(self, node: ast.AST, scope: Scope) -> None:
        """Names that `global` and `nonlocal` give to another scope, known before the body is read."""
        pending: list[ast.AST] = list(getattr(node, "body", ())) if not isinstance(node, ast.Lambda) else []
        while pending:
            inner = pending.pop()
            if isinstance(inner, ast.Global):
                scope.elsewhere.update(dict.fromkeys(inner.names, self.module))
            elif isinstance(inner, ast.Nonlocal):
                around = scope.parent
                for name in inner.names:
                    home = around
                    while home is not None and name not in home.bindings:
                        home = home.parent
                    if home is not None:
                        scope.elsewhere[name] = home
            elif not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
                pending.extend(child for child in ast.iter_child_nodes(inner) if isinstance(child, ast.AST))

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope.bind(node.name, Defined(node))
        elif isinstance(node, ast.arg):
            scope.bind(node.arg, Opaque(node))
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            if isinstance(node.ctx, ast.Store):
                self._store(node, scope)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            scope.bind(node.name, Opaque(node))
        elif isinstance(node, ast.MatchMapping) and node.rest:
            scope.bind(node.rest, Opaque(node))

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for alias, target in imported(node):
            if alias.name == "*" and isinstance(node, ast.ImportFrom):
                self.star_imports.append(module_of(node))
            elif alias.asname or isinstance(node, ast.ImportFrom):
                scope.bind(alias.asname or alias.name, Imported(target, node, alias))
            else:
                scope.bind(bound_by(alias), Imported(bound_by(alias), node, alias))

    def _store(self, node: ast.Name, scope: Scope) -> None:
        parent = self.parents[node]
        if isinstance(parent, ast.NamedExpr):
            home: Scope = scope
            while isinstance(home.node, Comprehension) and home.parent is not None:
                home = home.parent
            home.bind(node.id, Assigned(parent.value))
            return
        scope.bind(node.id, self._stored(node, parent))

    def _stored(self, node: ast.Name, parent: ast.AST) -> Binding:
        if isinstance(parent, ast.Assign):
            return Assigned(parent.value)
        if isinstance(parent, ast.AnnAssign) and parent.value is not None:
            return Assigned(parent.value)
        if isinstance(parent, ast.Tuple | ast.List):
            statement = self.parents[parent]
            value = statement.value if isinstance(statement, ast.Assign) else None
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(parent.elts):
                if not any(isinstance(element, ast.Starred) for element in (*value.elts, *parent.elts)):
                    place = next(i for i, element in enumerate(parent.elts) if element is node)
                    return Assigned(value.elts[place])
        return Opaque(node)

    # -- meanings ---------------------------------------------------------------------------------------------------

    def _resolve(self, name: str, scope: Scope) -> str | None:
        found = scope.lookup(name)
        if found is None:
            return self._undefined(name)
        home, bindings = found
        meanings: set[str | None] = set()
        for binding in self._visible(name, home, bindings):
            if isinstance(binding, Defined):
                meanings.add(name if home is self.module and name != "tf" else None)
            elif isinstance(binding, Assigned) and (binding.value in self._active or _is_none(binding)):
                continue
            else:
                meanings.add(self._meaning(binding))
            if None in meanings:
                return None
        if home is self.module and self.star_imports and (given := self._by_stars(name)) is not None:
            meanings.add(given)
        return meanings.pop() if len(meanings) == 1 else None

    def _meaning(self, binding: Binding) -> str | None:
        if isinstance(binding, Imported):
            return self.through(binding.target) or canonical_name(binding.target)
        return self._assigned(binding.value) if isinstance(binding, Assigned) else None

    def _assigned(self, value: ast.expr) -> str | None:
        if not isinstance(value, ast.Name | ast.Attribute):
            return None
        self._active.add(value)
        try:
            return self.canonical(value)
        finally:
            self._active.discard(value)

    def _undefined(self, name: str) -> str | None:
        if name in PYTHON2_BUILTINS or hasattr(builtins, name):
            return f"builtins.{name}"
        if (found := self._by_stars(name)) is not None:
            return found
        return canonical_name(f"{self._star_root}.{name}") if self._star_root else None

    def _by_stars(self, name: str) -> str | None:
        """What of TensorFlow's a module of the program gives under a name to one that imports all of it."""
        if name.startswith("_"):
            return None
        found = (
            self.through(f"{module}.{name}") for module in reversed(self.star_imports) if module.strip(".")
        )
        return next((meaning for meaning in found if meaning is not None), None)

    def _root_of_stars(self) -> str | None:
        roots = {canonical_name(module) for module in self.star_imports if not module.startswith(".")}
        tensorflow = {root for root in roots if root.partition(".")[0] == "tf"}
        return tensorflow.pop() if len(roots) == 1 and tensorflow else None


def _outside(node: Function | ast.Lambda) -> list[ast.AST]:
    """The parts of a definition that are evaluated where it stands."""
    if isinstance(node, ast.Lambda):
        return []
    return [*node.decorator_list, *([node.returns] if node.returns is not None else [])]


def _imports(value: ast.Call | ast.Subscript) -> bool:
    """Whether a module comes of it: `importlib.import_module(name)`, `__import__(name)`, `sys.modules[name]`."""
    function = value.func if isinstance(value, ast.Call) else value.value
    return last_name(function) in ("import_module", "__import__", "modules")


def _is_none(binding: Binding) -> bool:
    return (
        isinstance(binding, Assigned)
        and isinstance(binding.value, ast.Constant)
        and binding.value.value is None
    )
