"""What a TensorFlow import binds after the migration, alias by alias."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tf2towers.exact.lookup import Found, find
from tf2towers.names.canonical import canonical_name


@dataclass(frozen=True)
class Made:
    """`from module import name as bound`, or `import name as bound` where there is no module."""

    module: str
    name: str
    bound: str
    alias: ast.alias
    #: set where nothing stands for it
    left: Found | None = None

    @property
    def text(self) -> str:
        """The name in its import statement."""
        return self.name if self.bound == self.name else f"{self.name} as {self.bound}"


def is_tensorflow(dotted: str) -> bool:
    """Whether a dotted name is TensorFlow's."""
    return dotted.partition(".")[0] == "tensorflow"


def made_by(node: ast.Import | ast.ImportFrom) -> Iterator[Made]:
    """What each alias of an import statement becomes; what is not TensorFlow's stays as it is."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield _from_import(node, alias)
        else:
            yield _import(alias)


def _from_import(node: ast.ImportFrom, alias: ast.alias) -> Made:
    module = "." * node.level + (node.module or "")
    bound = alias.asname or alias.name
    if node.level or not is_tensorflow(module):
        return Made(module, alias.name, bound, alias)
    if alias.name == "*":
        root = canonical_name(module)
        return Made("tensorflow.compat.v1" + root[2:] if _is_public(root) else module, "*", "*", alias)
    canonical = canonical_name(f"{module}.{alias.name}")
    if canonical == "tf":
        return Made("", "tensorflow", bound, alias)
    found = find(canonical)
    if found.kind == "left":
        return Made(module, alias.name, bound, alias, found)
    if found.kind == "runtime":
        assert found.runtime is not None
        return Made(found.runtime.module, found.runtime.name, bound, alias)
    if found.kind == "private":
        parent, _, name = found.target.rpartition(".")
        return Made(parent, name, bound, alias)
    own = f"{module}.{alias.name}"
    if own in ("tensorflow" + found.target[2:], "tensorflow.compat.v1" + canonical[2:]):
        if ".app.flags" not in own:  # an import of compat.v1.app by itself has no flags
            return Made(module, alias.name, bound, alias)
    parent, _, name = ("tensorflow" + found.target[2:]).rpartition(".")
    return Made(parent, name, bound, alias)


def _import(alias: ast.alias) -> Made:
    bound = alias.asname or alias.name
    if not is_tensorflow(alias.name):
        return Made("", alias.name, bound, alias)
    canonical = canonical_name(alias.name)
    if alias.asname is None:
        if canonical == "tf" or find(canonical).kind in ("private", "same", "compat"):
            return Made("", alias.name, alias.name, alias)
        return Made("", "tensorflow", "tensorflow", alias)  # what is used through it is rewritten where it is
    if canonical == "tf":
        return Made("", "tensorflow", bound, alias)
    found = find(canonical)
    if found.kind == "left":
        return Made("", alias.name, bound, alias, found)
    if found.kind == "runtime":
        assert found.runtime is not None
        return Made(found.runtime.module, found.runtime.name, bound, alias)
    if found.kind == "private":
        return Made("", found.target, bound, alias)
    if alias.name in ("tensorflow" + found.target[2:], "tensorflow.compat.v1" + canonical[2:]):
        return Made("", alias.name, bound, alias)
    return Made("", "tensorflow" + found.target[2:], bound, alias)


def _is_public(root: str) -> bool:
    return root == "tf" or find(root).kind == "compat"
