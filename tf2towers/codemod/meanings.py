"""`Meanings`: what every name of a module means, from LibCST's scopes, their assignments and qualified names.

A name means something only where all its bindings in its scope agree; an answer is a canonical dotted name
(`tf.train.Saver`, `numpy.mean`), rooted at `tf` for TensorFlow however it was imported. LibCST has the scope of a name,
what is assigned to it, and its qualified names: `Scope.get_qualified_names_for`, QualifiedNameProvider's function.
It is asked by name, of all that binds it. The provider asks it of a node, without what is bound later in the text: the
next round of a loop reads that. LibCST does not follow `name = tf.x`, other modules and stars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst
from libcst.metadata import (
    Assignment,
    ClassScope,
    ExpressionContext,
    ImportAssignment,
    QualifiedNameSource,
    Scope,
)

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


class Meanings:
    """Scopes and meanings of one module's nodes.

    Args:
        through: what a dotted name of another module of the program means, where it is that of a library.
        holds: whether another module of the program has a dotted name at its top.
    """

    def __init__(
        self,
        tree: Tree,
        through: Callable[[str], str | None] = lambda dotted: None,
        holds: Callable[[str], bool] = lambda dotted: False,
    ) -> None:
        self._tree = tree
        self.through = through
        self._holds = holds
        #: the scope of the module
        self.module = tree.module_scope
        self._order = {node: place for place, node in enumerate(tree.nodes)}
        self._handlers = {node.name.name: node for node in tree.all(cst.ExceptHandler) if node.name}
        self._bound: dict[tuple[Scope, str], list[Binding]] = {}
        self._known: dict[tuple[Scope, str], str | None] = {}
        #: the answers of `canonical`, by the node's identity
        self._canonical: dict[int, str | None] = {}
        self._active: set[cst.CSTNode] = set()
        stars = [node for node in tree.all(cst.ImportFrom) if isinstance(node.names, cst.ImportStar)]
        #: the modules that all names are taken from, and the places of these imports in the text
        self.star_imports = [nodes.module_of(node) for node in stars]
        self._places_of_stars = [self._order[node] for node in stars]
        roots = {canonical_name(module) for module in self.star_imports if not module.startswith(".")}
        #: the module of TensorFlow that all names are taken from, where that is the only one
        is_one = len(roots) == 1 and min(roots).partition(".")[0] == "tf"
        self._star_root = roots.pop() if is_one else None

    @property
    def bound_names(self) -> set[str]:
        """The names that the module binds anywhere."""
        return set().union(*(_names_in(scope) for scope in set(self._tree.scopes.values()) if scope))

    @cached_property
    def top_names(self) -> list[str]:
        """The names that the module binds at its top."""
        return _names_in(self.module)

    @cached_property
    def _top(self) -> frozenset[str]:
        return frozenset(self.top_names)

    def may_have(self, name: str) -> bool:
        """True if the module has a name at its top, or may have it by a star."""
        return name in self._top or bool(self.star_imports)

    def is_bound_inside(self, name: str) -> bool:
        """True if a function, class or comprehension of the module binds a name for itself."""
        inside = {scope for scope in self._tree.scopes.values() if scope is not self.module}
        return any(name in _names_in(scope) for scope in inside if scope)

    def scope(self, node: cst.CSTNode) -> Scope:
        """LibCST's scope of a node."""
        return self._tree.scope(node)

    def node_of(self, scope: Scope) -> cst.CSTNode:
        """The node whose scope it is: the module, a function, a class, a comprehension."""
        return getattr(scope, "node", self._tree.module)

    def home(self, name: str, scope: Scope) -> Scope | None:
        """The scope that binds a name, as seen from `scope`; None for a builtin or an undefined name."""
        return next((each.scope for each in scope[name] if isinstance(each, Assignment)), None)

    def home_of(self, name: cst.Name) -> Scope | None:
        """The scope that binds a name, as seen from where it is used."""
        return self.home(name.value, self.scope(name))

    def canonical(self, node: cst.CSTNode | None) -> str | None:
        """The canonical dotted name of a Name or Attribute; None when it is neither, or not known."""
        # an answer found while following an alias may be a partial one
        if self._active:
            return self._canonical_now(node)
        if id(node) not in self._canonical:
            self._canonical[id(node)] = self._canonical_now(node)
        return self._canonical[id(node)]

    def _canonical_now(self, node: cst.CSTNode | None) -> str | None:
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
            if self._active:  # it may be a partial answer
                return meaning
            self._known[key] = meaning
        return self._known[key]

    def bindings_of(self, name: str, scope: Scope) -> list[Binding]:
        """All bindings of a name in the scope that binds it, in the order of the text."""
        if (scope, name) not in self._bound:
            found: dict[cst.CSTNode, Binding] = {}
            for each in scope[name]:
                if not isinstance(each, Assignment):
                    continue  # a builtin
                node = self._handlers.get(each.node, each.node)  # type: ignore[call-overload]
                if node in self._order:  # not in a text that is an annotation
                    binding = self._binding(each, node)
                    found[binding.alias if isinstance(binding, Imported) else node] = binding
            self._bound[scope, name] = [found[node] for node in sorted(found, key=self._order.__getitem__)]
        return self._bound[scope, name]

    def at_top(self, name: str) -> list[Binding]:
        """All bindings of a name at the top of the module."""
        return self.bindings_of(name, self.module)

    def top_meaning(self, name: str) -> str | None:
        """What a name of the module means, where all that binds it agrees."""
        return self.canonical_of(name, self.module)

    def imported_meaning(self, name: str) -> str | None:
        """As `top_meaning`, where imports alone bind the name, and nothing deletes it: then an import may move."""
        only = all(isinstance(binding, Imported) for binding in self.at_top(name))
        return self.top_meaning(name) if only and not self._deleted(name) else None

    def bindings(self, node: cst.CSTNode | None) -> list[Binding]:
        """Everything that binds a name where it is used; nothing for a builtin, and for what is not a name."""
        return self._visible(node.value, self.scope(node)) if nodes.is_name(node) else []

    def values(self, node: cst.CSTNode | None) -> list[cst.BaseExpression | None]:
        """What each binding gives a name where it is used; None for a binding whose value is not seen."""
        return [each.value if isinstance(each, Assigned) else None for each in self.bindings(node)]

    def uses(self, name: cst.Name) -> list[cst.Name]:
        """Every use of a name in the module that means the same variable, this one among them."""
        home = self.home_of(name)
        alike = (each for each in self._tree.all(cst.Name) if each.value == name.value)
        return [each for each in alike if self.home_of(each) is home]

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
        if self.star_imports and self.home(name, self.scope(node)) is self.module:
            found.update(meaning for _, meaning in self._by_stars(name))
        return {meaning for meaning in found if meaning is not None}

    def _in_force(self, node: cst.Name) -> Binding | None:
        """Of several bindings of a name the one that certainly holds where it is used; None where that is not certain.

        It is certain where all of them are statements of one body, one after the other, without a condition. What
        comes after one of them in that body sees it, up to the next. A function that is defined after all of them
        sees the last.
        """
        scope = self.scope(node)
        found = self.home(node.value, scope)
        home = self.node_of(found) if found is not None else None
        if not isinstance(home, cst.Module | cst.FunctionDef) or self.star_imports:
            return None
        bindings = self.bindings_of(node.value, scope)
        places: dict[cst.CSTNode, int] = {each: place for place, each in enumerate(nodes.block(home))}
        statements = filter(None, map(self._statement_of, bindings))
        bound = [places.get(statement) for statement in statements]
        if len(bound) < len(bindings) or None in bound or self._deleted(node.value):
            return None
        use: cst.CSTNode = node
        later = False  # whether the use may come long after the text around it was run
        while (around := self._tree.parent(use)) is not home:
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
        node = self._tree.parent(binding.value)
        while isinstance(node, cst.Tuple | cst.List):
            node = self._tree.parent(node)
        return node if isinstance(node, cst.Assign | cst.AnnAssign) else None

    def _deleted(self, name: str) -> bool:
        return any(
            node.value == name and self._tree.context(node) is ExpressionContext.DEL
            for node in self._tree.all(cst.Name)
        )

    def _visible(self, name: str, scope: Scope) -> list[Binding]:
        """The bindings of a name; before a class binds it, its body reads that of the scope around: `tf = tf`."""
        bindings, home = self.bindings_of(name, scope), self.home(name, scope)
        if not isinstance(home, ClassScope):
            return bindings
        own = [
            binding
            for binding in bindings
            if not (
                isinstance(binding, Assigned) and nodes.is_name(binding.value) and binding.value.value == name
            )
        ]
        around = home.parent
        while isinstance(around, ClassScope):
            around = around.parent
        return own + self._visible(name, around)

    def _binding(self, assignment: Assignment, node: cst.CSTNode) -> Binding:
        if isinstance(assignment, ImportAssignment) and isinstance(node, nodes.Import):
            for alias, target in nodes.imported(node):
                named = None if isinstance(alias, cst.ImportStar) else (alias.asname or alias).name
                if named is assignment.as_name:
                    whole = isinstance(node, cst.ImportFrom) or nodes.asname_of(alias) is not None
                    return Imported(target if whole else nodes.bound_by(alias), node, alias)
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            return Defined(node)
        return self._stored(node)

    def _stored(self, node: cst.CSTNode) -> Binding:
        parent = self._tree.parent(node)
        if not isinstance(node, cst.Name) or parent is None:
            return Opaque(node)
        if isinstance(parent, cst.Assign | cst.AnnAssign | cst.NamedExpr) and parent.value is not None:
            return Assigned(parent.value)
        if isinstance(parent, cst.Tuple | cst.List):
            statement = self._tree.parent(parent)
            value = statement.value if isinstance(statement, cst.Assign) else None
            if isinstance(value, cst.Tuple | cst.List) and len(value.elements) == len(parent.elements):
                if not nodes.has_star(value) and not nodes.has_star(parent):
                    place = next(
                        place for place, element in enumerate(nodes.items(parent)) if element is node
                    )
                    return Assigned(nodes.items(value)[place])
        return Opaque(node)

    def _resolve(self, name: str, scope: Scope) -> str | None:
        home, qualified = self.home(name, scope), scope.get_qualified_names_for(name)
        meanings: set[str | None]
        if isinstance(home, ClassScope) or any(
            each.source is QualifiedNameSource.LOCAL for each in qualified
        ):
            meanings = set(
                self._meanings_of(self._visible(name, scope), name if home is self.module else None)
            )
        else:
            meanings = {self.through(each.name) or canonical_name(each.name) for each in qualified}
            meanings = meanings or {self._undefined(name)}
        if home is self.module and self.star_imports:
            given = next((given for _, given in self._by_stars(name) if given is not None), None)
            if given is not None or self.is_replaced_by_star(name):
                meanings.add(given)
        return meanings.pop() if len(meanings) == 1 else None

    def _meanings_of(self, bindings: list[Binding], own: str | None) -> Iterator[str | None]:
        """What each binding of a name means; a function or class is `own`."""
        for binding in bindings:
            if isinstance(binding, Defined):
                yield own if own != "tf" else None
            elif (value := getattr(binding, "value", None)) not in self._active and not nodes.is_none(value):
                yield self._meaning(binding)

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
        if name in PYTHON2_BUILTINS:
            return f"builtins.{name}"
        if (found := next(iter(self._by_stars(name)), None)) is not None:
            return found[1]
        root = self._star_root
        return canonical_name(f"{root}.{name}") if root else None

    def is_replaced_by_star(self, name: str) -> bool:
        """True if a name of the module may be another one's, by a star that stands after what binds it here."""
        bound = [self._order[_node_of(binding)] for binding in self.at_top(name)]
        places = [place for place, _ in self._by_stars(name)] if bound else []
        return bool(places) and places[0] > min(bound)

    def _by_stars(self, name: str) -> Iterator[tuple[int, str | None]]:
        """The imports by a star that bring a name from a module of the program, the last one first.

        Returns:
            the import's place in the text, and what the name means if it is that of a library.
        """
        if name.startswith("_"):
            return
        for module, place in reversed([*zip(self.star_imports, self._places_of_stars, strict=True)]):
            dotted = f"{module}.{name}"
            meaning = self.through(dotted) if module.strip(".") else None
            if meaning is not None or (module.strip(".") and self._holds(dotted)):
                yield place, meaning


def _node_of(binding: Binding) -> cst.CSTNode:
    """The node that shows where a name is bound."""
    if isinstance(binding, Imported):
        return binding.statement
    return binding.value if isinstance(binding, Assigned) else binding.node


def _names_in(scope: Scope) -> list[str]:
    bound = (each.name for each in scope.assignments if isinstance(each, Assignment))
    return [*dict.fromkeys(name for name in bound if "." not in name)]


def _imports(value: cst.BaseExpression) -> bool:
    """True if a module comes of it: `importlib.import_module(name)`, `__import__(name)`, `sys.modules[name]`."""
    match value:
        case cst.Call(func=giver) | cst.Subscript(value=giver):
            return nodes.last_name(giver) in ("import_module", "__import__", "modules")
    return False
