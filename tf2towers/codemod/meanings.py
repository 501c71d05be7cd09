"""`Meanings`: what every name of a module means, from LibCST's scopes.

A name means something only where all its bindings in its scope agree; an answer is a canonical dotted name
(`tf.train.Saver`, `numpy.mean`), rooted at `tf` for TensorFlow however it was imported.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass, field

import libcst as cst
from libcst.metadata import Assignment, ExpressionContext, ImportAssignment
from libcst.metadata import Scope as LibcstScope

from tf2towers.codemod import nodes
from tf2towers.codemod.symbols import PYTHON2_BUILTINS, canonical_name
from tf2towers.codemod.tree import Tree


@dataclass(frozen=True)
class Imported:
    """A name bound by an import: it stands for the dotted name `target`."""

    target: str
    statement: nodes.Import
    alias: nodes.Alias


@dataclass(frozen=True)
class Assigned:
    """A name bound to a value that is seen: `name = value`."""

    value: cst.BaseExpression


@dataclass(frozen=True)
class Defined:
    """A name bound by `def` or `class`."""

    node: cst.FunctionDef | cst.ClassDef


@dataclass(frozen=True)
class Opaque:
    """A name bound in any other way: a parameter (`cst.Param`), a loop's target, `+=`, a `with`, an `except`."""

    node: cst.CSTNode


Binding = Imported | Assigned | Defined | Opaque


@dataclass(eq=False)
class Scope:
    """One scope: what binds each name in it, in the order of the text, and the scope around it."""

    node: cst.CSTNode
    parent: Scope | None = None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    #: names that `global` and `nonlocal` give to another scope
    elsewhere: dict[str, Scope] = field(default_factory=dict)

    def bind(self, name: str, binding: Binding) -> None:
        """Adds a binding."""
        self.elsewhere.get(name, self).bindings.setdefault(name, []).append(binding)

    def lookup(self, name: str) -> tuple[Scope, list[Binding]] | None:
        """The scope whose name it is, and its bindings; None for a builtin or an undefined name."""
        scope: Scope | None = self.elsewhere.get(name, self)
        first = True
        while scope is not None:
            if name in scope.bindings and (first or not isinstance(scope.node, cst.ClassDef)):
                return scope, scope.bindings[name]
            scope, first = scope.parent, False
        return None


class Meanings:
    """Scopes and meanings of one module's nodes.

    Args:
        through: what a dotted name of another module of the program means, where it is TensorFlow's.
    """

    def __init__(self, tree: Tree, through: Callable[[str], str | None] = lambda dotted: None) -> None:
        self._tree = tree
        self.through = through
        self.module = Scope(tree.module)
        self._scopes: dict[LibcstScope, Scope] = {}
        self._known: dict[tuple[Scope, str], str | None] = {}
        self._active: set[cst.CSTNode] = set()
        self.star_imports = [
            nodes.module_of(node)
            for node in tree.all(cst.ImportFrom)
            if isinstance(node.names, cst.ImportStar)
        ]
        self._bind_all()
        roots = {canonical_name(module) for module in self.star_imports if not module.startswith(".")}
        #: the module of TensorFlow that all names are taken from, where that is the only one
        self._star_root = roots.pop() if len(roots) == 1 and min(roots).partition(".")[0] == "tf" else None

    def forget(self) -> None:
        """Forgets its answers."""
        self._known.clear()

    @property
    def bound_names(self) -> set[str]:
        """The names that the module binds anywhere."""
        scopes = {self.module, *self._scopes.values()}
        return {name for scope in scopes for name in scope.bindings}

    def scope(self, node: cst.CSTNode) -> Scope:
        """The scope a node is in."""
        while (scope := self._tree.scopes.get(node)) is None and node in self._tree.parents:
            node = self._tree.parents[node]
        return self._of(scope) if scope is not None else self.module

    def canonical(self, node: cst.CSTNode | None) -> str | None:
        """The canonical dotted name of a Name or Attribute; None when it is neither, or not known."""
        parts: list[str] = []
        while isinstance(node, cst.Attribute):
            parts.append(node.attr.value)
            node = node.value
        if not nodes.is_name(node):
            return None
        name = self.canonical_of(node.value, self.scope(node))
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

    def bindings(self, node: cst.CSTNode | None) -> list[Binding]:
        """Everything that binds a name where it is used; nothing for a builtin, and for what is not a name."""
        found = self.scope(node).lookup(node.value) if nodes.is_name(node) else None
        return self._visible(node.value, *found) if found is not None and nodes.is_name(node) else []

    def possible_meanings(self, node: cst.Name) -> set[str]:
        """What a name may stand for, where its bindings do not agree: the meanings of those that have one."""
        bindings = self.bindings(node)
        name = node.value
        if not bindings and name == "tf":
            return {"tf"}  # bound by means that are not seen
        found: set[str | None] = {self._meaning(binding) for binding in bindings}
        if len(bindings) > 1 and any(found) and (last := self._in_force(node)) is not None:
            bindings = [last]
            found = {self._meaning(last)}
        for binding in bindings:
            if name == "tf" and isinstance(binding, Assigned) and _imports(binding.value):
                found.add("tf")
            if isinstance(binding, Opaque) and isinstance(binding.node, cst.Param):
                found.add(self.canonical(binding.node.default))
                if name == "tf":
                    found.add("tf")
        looked_up = self.scope(node).lookup(name) if self.star_imports else None
        if looked_up is not None and looked_up[0] is self.module:
            found.add(self._by_stars(name))
        return {meaning for meaning in found if meaning is not None}

    def imported(self, name: str, scope: Scope) -> bool:
        """Whether a name is bound by imports alone (or comes from a star import)."""
        found = scope.lookup(name)
        return found is None or all(isinstance(each, Imported) or _is_none(each) for each in found[1])

    def _in_force(self, node: cst.Name) -> Binding | None:
        """Of several bindings of a name the one that certainly holds where it is used; None where that is not certain.

        It is certain where all of them are statements of one body, one after the other, without a condition. What
        comes after one of them in that body sees it, up to the next. A function that is defined after all of them
        sees the last.
        """
        found = self.scope(node).lookup(node.value)
        if found is None or self.star_imports:
            return None
        home, bindings = found
        if not isinstance(home.node, cst.Module | cst.FunctionDef):
            return None
        places: dict[cst.CSTNode, int] = {each: place for place, each in enumerate(nodes.block(home.node))}
        bound = [places.get(statement) for binding in bindings if (statement := self._statement_of(binding))]
        if len(bound) < len(bindings) or None in bound or self._deleted(node.value):
            return None
        use: cst.CSTNode = node
        later = False  # whether the use may come long after the text around it was run
        while (around := self._tree.parents.get(use)) is not home.node:
            if around is None:
                return None
            use = around
            later = later or isinstance(use, cst.FunctionDef | cst.Lambda | cst.GeneratorExp)
        if use not in places:
            return None
        earlier = [
            binding
            for binding, place in zip(bindings, bound, strict=True)
            if place is not None and place < places[use]
        ]
        return earlier[-1] if earlier and (len(earlier) == len(bindings) or not later) else None

    def _statement_of(self, binding: Binding) -> cst.CSTNode | None:
        """The statement that does nothing but bind a name."""
        if isinstance(binding, Imported):
            return binding.statement
        if isinstance(binding, Defined):
            return binding.node
        if isinstance(binding, Opaque):
            return None
        node = self._tree.parents[binding.value]
        while isinstance(node, cst.Tuple | cst.List):
            node = self._tree.parents[node]
        return node if isinstance(node, cst.Assign | cst.AnnAssign) else None

    def _deleted(self, name: str) -> bool:
        return any(
            node.value == name and self._tree.context(node) is ExpressionContext.DEL
            for node in self._tree.all(cst.Name)
        )

    def _visible(self, name: str, home: Scope, bindings: list[Binding]) -> list[Binding]:
        """The bindings of a name; before a class binds it, its body reads that of the scope around: `tf = tf`."""
        if not isinstance(home.node, cst.ClassDef):
            return bindings
        own = [
            binding
            for binding in bindings
            if not (
                isinstance(binding, Assigned) and nodes.is_name(binding.value) and binding.value.value == name
            )
        ]
        scope = home.parent
        while scope is not None and isinstance(scope.node, cst.ClassDef):
            scope = scope.parent
        around = scope.lookup(name) if scope is not None else None
        return own + (self._visible(name, *around) if around is not None else [])

    def _of(self, scope: LibcstScope) -> Scope:
        """The scope for one of LibCST's."""
        if scope not in self._scopes:
            node = getattr(scope, "node", None)
            self._scopes[scope] = self.module if node is None else Scope(node, self._of(scope.parent))
        return self._scopes[scope]

    def _bind_all(self) -> None:
        """Binds every name that LibCST's scopes have an assignment of, in the order of the text."""
        tree = self._tree
        order = {node: place for place, node in enumerate(tree.nodes)}
        handlers = {node.name.name: node for node in tree.all(cst.ExceptHandler) if node.name is not None}
        found: list[tuple[int, Scope, str, Binding]] = []
        for assignment in {
            assignment
            for scope in {scope for scope in tree.scopes.values() if scope is not None}
            for assignment in scope.assignments
            if isinstance(assignment, Assignment) and "." not in assignment.name
        }:
            node = handlers.get(assignment.node, assignment.node)  # type: ignore[call-overload]
            if node in order:  # not in a text that is an annotation
                binding = self._binding(assignment, node)
                place = order[binding.alias if isinstance(binding, Imported) else node]
                found.append((place, self._home(node), assignment.name, binding))
        patterns: list[cst.MatchPattern | cst.MatchStar] = [*tree.all(cst.MatchAs), *tree.all(cst.MatchStar)]
        for matched in (*patterns, *tree.all(cst.MatchMapping)):
            name = getattr(matched, "rest" if isinstance(matched, cst.MatchMapping) else "name")
            if name is not None:
                found.append((order[matched], self.scope(matched), name.value, Opaque(matched)))
        found.sort(key=lambda each: each[0])
        for declared in tree.all(cst.Global):
            self.scope(declared).elsewhere.update((item.name.value, self.module) for item in declared.names)
        nonlocals = [
            (self.scope(node), item.name.value) for node in tree.all(cst.Nonlocal) for item in node.names
        ]
        for _, scope, name, binding in found:
            if (scope, name) not in nonlocals:
                scope.bind(name, binding)
        for scope, name in nonlocals:  # LibCST gives them to the next function around, theirs or not
            home = scope.parent
            while home is not None and name not in home.bindings:
                home = home.parent
            if home is not None:
                scope.elsewhere[name] = home
        for _, scope, name, binding in found:
            if (scope, name) in nonlocals:
                scope.bind(name, binding)

    def _home(self, node: cst.CSTNode) -> Scope:
        """The scope that a name is bound in where no `global` says otherwise: `:=` is not of the comprehension."""
        scope = self.scope(node)
        if isinstance(self._tree.parents.get(node), cst.NamedExpr):
            while isinstance(scope.node, nodes.Comprehension) and scope.parent is not None:
                scope = scope.parent
        return scope

    def _binding(self, assignment: Assignment, node: cst.CSTNode) -> Binding:
        if isinstance(assignment, ImportAssignment):
            assert isinstance(node, nodes.Import)
            for alias, target in nodes.imported(node):
                named = None if isinstance(alias, cst.ImportStar) else (alias.asname or alias).name
                if named is assignment.as_name:
                    whole = isinstance(node, cst.ImportFrom) or nodes.asname_of(alias) is not None
                    return Imported(target if whole else nodes.bound_by(alias), node, alias)
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            return Defined(node)
        return self._stored(node)

    def _stored(self, node: cst.CSTNode) -> Binding:
        parent = self._tree.parents.get(node)
        if not isinstance(node, cst.Name) or parent is None:
            return Opaque(node)
        if isinstance(parent, cst.Assign | cst.AnnAssign | cst.NamedExpr) and parent.value is not None:
            return Assigned(parent.value)
        if isinstance(parent, cst.Tuple | cst.List):
            statement = self._tree.parents[parent]
            value = statement.value if isinstance(statement, cst.Assign) else None
            if isinstance(value, cst.Tuple | cst.List) and len(value.elements) == len(parent.elements):
                if not nodes.has_star(value) and not nodes.has_star(parent):
                    place = next(
                        place for place, element in enumerate(nodes.items(parent)) if element is node
                    )
                    return Assigned(nodes.items(value)[place])
        return Opaque(node)

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

    def _assigned(self, value: cst.BaseExpression) -> str | None:
        if not isinstance(value, nodes.Symbol):
            return None
        self._active.add(value)
        try:
            return self.canonical(value)
        finally:
            self._active.discard(value)

    def _undefined(self, name: str) -> str | None:
        if name in PYTHON2_BUILTINS or hasattr(builtins, name):
            return f"builtins.{name}"
        root = self._star_root
        return self._by_stars(name) or (canonical_name(f"{root}.{name}") if root else None)

    def _by_stars(self, name: str) -> str | None:
        """What of TensorFlow's a module of the program gives under a name to one that imports all of it."""
        if name.startswith("_"):
            return None
        found = (
            self.through(f"{module}.{name}") for module in reversed(self.star_imports) if module.strip(".")
        )
        return next((meaning for meaning in found if meaning is not None), None)


def _imports(value: cst.BaseExpression) -> bool:
    """Whether a module comes of it: `importlib.import_module(name)`, `__import__(name)`, `sys.modules[name]`."""
    match value:
        case cst.Call(func=giver) | cst.Subscript(value=giver):
            return nodes.last_name(giver) in ("import_module", "__import__", "modules")
    return False


def _is_none(binding: Binding) -> bool:
    return isinstance(binding, Assigned) and nodes.is_none(binding.value)
