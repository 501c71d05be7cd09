"""`Names`: the canonical dotted name of any Name or Attribute of a script.

TensorFlow names come out rooted at `tf`, whichever way they were imported: `tensorflow.compat.v1`, bare
`tensorflow`, `from tensorflow import Session`, `import tensorflow.contrib.slim as slim`, `t = tf`.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping

import libcst as cst
from libcst.metadata import (
    Assignment,
    BuiltinAssignment,
    ImportAssignment,
    MetadataWrapper,
    Scope,
    ScopeProvider,
)

from tf2towers.names.bindings import Bindings, ImportedName, imported_names, read_bindings
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
