"""`Names`: the canonical dotted name of any Name or Attribute of a script.

TensorFlow names come out rooted at `tf`, whichever way they were imported: `tensorflow.compat.v1`, bare
`tensorflow`, `from tensorflow import Session`, `import tensorflow.contrib.slim as slim`, `t = tf`.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst
from libcst.metadata import (
    Assignment,
    BuiltinAssignment,
    ImportAssignment,
    MetadataWrapper,
    Scope,
    ScopeProvider,
)

from tf2towers.names.canonical import PYTHON2_BUILTINS, canonical_name


class Names:
    """What every name of one module means. Needs only LibCST's scopes; answers are cached per scope."""

    def __init__(self, wrapper: MetadataWrapper) -> None:
        self._scopes: Mapping[cst.CSTNode, Scope | None] = wrapper.resolve(ScopeProvider)
        self._bindings: Bindings = read_bindings(wrapper.module)
        self._by_name: dict[tuple[Scope, str], str | None] = {}
        self._active: set[cst.CSTNode] = set()

    @property
    def imports(self) -> list[ImportedName]:
        """Every name the module binds by import, at any depth, star imports left out."""
        return self._bindings.imports

    @property
    def star_imports(self) -> list[str]:
        """The modules of `from MODULE import *`."""
        return self._bindings.star_imports

    def scope(self, node: cst.CSTNode) -> Scope | None:
        """The scope a node of the module stands in."""
        return self._scopes.get(node)

    def canonical(self, node: cst.BaseExpression) -> str | None:
        """The canonical dotted name of a Name or Attribute; None when it is neither, or not known."""
        parts: list[str] = []
        root: cst.BaseExpression = node
        while isinstance(root, cst.Attribute):
            parts.append(root.attr.value)
            root = root.value
        if not isinstance(root, cst.Name):
            return None
        scope = self._scopes.get(root)
        if scope is None:
            return None
        name = self.canonical_of(root.value, scope)
        if name is None or not parts:
            return name
        return canonical_name(".".join([name, *reversed(parts)]))

    def canonical_of(self, name: str, scope: Scope) -> str | None:
        """What the bare `name` means in a scope."""
        key = (scope, name)
        if key in self._by_name:
            return self._by_name[key]
        meaning = self._resolve(name, scope)
        if not self._active:  # an answer found while following an alias may be a partial one
            self._by_name[key] = meaning
        return meaning

    def spelled(self, node: cst.BaseExpression) -> bool:
        """Whether the node names its symbol by imports alone (`tf.train.Saver`), not through `t = tf`."""
        while isinstance(node, cst.Attribute):
            node = node.value
        scope = self._scopes.get(node) if isinstance(node, cst.Name) else None
        if scope is None or not isinstance(node, cst.Name):
            return False
        found = scope[node.value]
        return bool(found) and all(isinstance(assignment, ImportAssignment) for assignment in found)

    def _resolve(self, name: str, scope: Scope) -> str | None:
        assignments = [a for a in scope[name] if not (isinstance(a, Assignment) and a.node in self._active)]
        if not assignments:
            return self._undefined(name)
        meanings: set[str | None] = set()
        for assignment in assignments:
            if isinstance(assignment, ImportAssignment):
                meanings.update(self._imported(name, assignment))
            elif isinstance(assignment, BuiltinAssignment):
                meanings.add(f"builtins.{name}")
            elif isinstance(assignment, Assignment) and not _is_none(
                self._bindings.aliases.get(assignment.node)
            ):
                meanings.add(self._assigned(assignment))
        return meanings.pop() if len(meanings) == 1 else None

    def _imported(self, name: str, assignment: ImportAssignment) -> set[str | None]:
        node = assignment.node
        if not isinstance(node, cst.Import | cst.ImportFrom):
            return {None}
        return {canonical_name(found.target) for found in imported_names(node) if found.bound == name}

    def _assigned(self, assignment: Assignment) -> str | None:
        node = assignment.node
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            names = [q.name for q in assignment.get_qualified_names_for(assignment.name)]
            return names[0] if len(names) == 1 and names[0] != "tf" else None
        value = self._bindings.aliases.get(node)
        if value is None:
            return None
        self._active.add(node)
        try:
            return self.canonical(value)
        finally:
            self._active.discard(node)

    def _undefined(self, name: str) -> str | None:
        if name in PYTHON2_BUILTINS or hasattr(builtins, name):
            return f"builtins.{name}"
        roots = {canonical_name(module) for module in self._bindings.star_imports}
        if len(roots) == 1 and (root := roots.pop()).partition(".")[0] == "tf":
            return canonical_name(f"{root}.{name}")
        return None


def _is_none(value: cst.BaseExpression | None) -> bool:
    return isinstance(value, cst.Name) and value.value == "None"


# -- which names a module binds by import or by plain assignment, read from the statements alone -----------------------
# LibCST's scope analysis says *where* a name was assigned; it does not say *to what*. The walk here visits
# statements only, never the expressions in them, so it costs next to nothing beside the scope analysis.


@dataclass(frozen=True)
class ImportedName:
    """One name bound by an import: `bound` in the script stands for the dotted name `target`."""

    bound: str
    target: str
    node: cst.Import | cst.ImportFrom
    alias: cst.ImportAlias


@dataclass
class Bindings:
    """Imports and simple aliases of one module."""

    imports: list[ImportedName] = field(default_factory=list)
    star_imports: list[str] = field(default_factory=list)
    #: target Name node -> the Name or Attribute it was assigned
    aliases: dict[cst.CSTNode, cst.BaseExpression] = field(default_factory=dict)


def dotted(node: cst.CSTNode | None) -> str | None:
    """`a.b.c` for a Name or a chain of Attributes, None for anything else."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    parts.append(node.value)
    return ".".join(reversed(parts))


def imported_names(node: cst.Import | cst.ImportFrom) -> Iterator[ImportedName]:
    """The names an import statement binds; nothing for a star import."""
    prefix = module_of(node) if isinstance(node, cst.ImportFrom) else ""
    if isinstance(node.names, cst.ImportStar):
        return
    for alias in node.names:
        name = dotted(alias.name) or ""
        target = name if not prefix else prefix + name if prefix.endswith(".") else f"{prefix}.{name}"
        if alias.asname is not None:
            if isinstance(alias.asname.name, cst.Name):
                yield ImportedName(alias.asname.name.value, target, node, alias)
        elif isinstance(node, cst.Import):
            root = name.partition(".")[0]
            yield ImportedName(root, root, node, alias)
        else:
            yield ImportedName(name, target, node, alias)


def module_of(node: cst.ImportFrom) -> str:
    """The module of `from MODULE import ...`, with the leading dots of a relative one."""
    return "." * len(node.relative) + (dotted(node.module) or "")


def read_bindings(module: cst.Module) -> Bindings:
    """Every import and every `name = other.name` of a module, at any depth."""
    found = Bindings()
    for small in _small_statements(module.body):
        if isinstance(small, cst.Import):
            found.imports.extend(imported_names(small))
        elif isinstance(small, cst.ImportFrom):
            if isinstance(small.names, cst.ImportStar):
                found.star_imports.append(module_of(small))
            else:
                found.imports.extend(imported_names(small))
        elif isinstance(small, cst.Assign):
            for target in small.targets:
                _record_alias(target.target, small.value, found.aliases)
        elif isinstance(small, cst.AnnAssign) and small.value is not None:
            _record_alias(small.target, small.value, found.aliases)
    return found


def _record_alias(
    target: cst.BaseExpression, value: cst.BaseExpression, aliases: dict[cst.CSTNode, cst.BaseExpression]
) -> None:
    if isinstance(target, cst.Name):
        if isinstance(value, cst.Name | cst.Attribute):
            aliases[target] = value
    elif isinstance(target, cst.Tuple | cst.List) and isinstance(value, cst.Tuple | cst.List):
        if len(target.elements) != len(value.elements):
            return
        for left, right in zip(target.elements, value.elements, strict=True):
            if isinstance(left, cst.StarredElement) or isinstance(right, cst.StarredElement):
                return
        for left, right in zip(target.elements, value.elements, strict=True):
            _record_alias(left.value, right.value, aliases)


def _small_statements(body: Iterable[cst.CSTNode]) -> Iterator[cst.BaseSmallStatement]:
    pending = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite):
            yield from node.body
            continue
        for attribute in ("body", "orelse", "finalbody"):
            inner = getattr(node, attribute, None)
            if isinstance(inner, cst.CSTNode):
                pending.append(inner)
            elif inner:
                pending.extend(inner)
        pending.extend(getattr(node, "handlers", ()))
        if isinstance(node, cst.Match):
            pending.extend(node.cases)
