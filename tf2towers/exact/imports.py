"""What a TensorFlow import binds after the migration, alias by alias."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from tf2towers.exact.lookup import Found, find_replacement
from tf2towers.names.canonical import canonical_name
from tf2towers.source.nodes import module_of


class Importing(Protocol):
    """What is asked of a file whose imports are rewritten."""

    def keeps_plain(self, alias: ast.alias) -> bool:
        """Whether `import tensorflow` stays plain."""


V1 = "tensorflow.compat.v1"


@dataclass(frozen=True)
class NewImport:
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


#: the module of TensorFlow's flags, then and now
PRIVATE_FLAGS = "tensorflow.python.platform.flags"


def is_tensorflow(dotted: str) -> bool:
    """Whether a dotted name is TensorFlow's."""
    return dotted.partition(".")[0] == "tensorflow"


def made_by(file: Importing, node: ast.Import | ast.ImportFrom) -> Iterator[NewImport]:
    """What each alias of an import statement becomes; what is not TensorFlow's stays as it is."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield _from_import(node, alias)
        else:
            yield _import(file, alias)


def stays_dotted(dotted: str) -> bool:
    """Whether `import tensorflow.x.y` without `as` stays: there is such a module."""
    return dotted.startswith("tensorflow.") and find_replacement(canonical_name(dotted)).kind in (
        "v1",
        "tf2",
        "private",
    )


def _from_import(node: ast.ImportFrom, alias: ast.alias) -> NewImport:
    module = module_of(node)
    bound = alias.asname or alias.name
    was = NewImport(module, alias.name, bound, alias)
    if node.level or not is_tensorflow(module):
        return was
    if alias.name == "*":
        root = canonical_name(module)
        found = find_replacement(root)
        if found.runtime is not None:
            return NewImport(".".join(found.runtime), "*", "*", alias)
        return NewImport(V1 + root[2:], "*", "*", alias) if found.kind == "v1" else was
    canonical = canonical_name(f"{module}.{alias.name}")
    found = find_replacement(canonical)
    if found.kind == "left":
        return NewImport(module, alias.name, bound, alias, found)
    if found.kind == "runtime":
        assert found.runtime is not None
        parent, _, name = ".".join(found.runtime).rpartition(".")
        return NewImport(parent, name, bound, alias)
    if found.kind == "tf2" or canonical == "tf" or found.target.startswith("tf.compat"):
        return was
    if found.target.startswith("tf.app.flags."):  # no module of compat.v1 that names could be imported from
        return was if module == PRIVATE_FLAGS else NewImport(PRIVATE_FLAGS, alias.name, bound, alias)
    parent, _, name = _module(found).rpartition(".")
    return NewImport(parent, name, bound, alias)


def _import(file: Importing, alias: ast.alias) -> NewImport:
    bound = alias.asname or alias.name
    was = NewImport("", alias.name, bound, alias)
    if not is_tensorflow(alias.name):
        return was
    if alias.asname is None:
        if file.keeps_plain(alias) or stays_dotted(alias.name):
            return was
        return NewImport("", V1, "tensorflow", alias)  # what is gone is rewritten where it is used
    canonical = canonical_name(alias.name)
    found = find_replacement(canonical)
    if canonical == "tf":
        return was if file.keeps_plain(alias) else NewImport("", V1, bound, alias)
    if found.kind == "left":
        return NewImport("", alias.name, bound, alias, found)
    if found.kind == "runtime":
        assert found.runtime is not None
        parent, _, name = ".".join(found.runtime).rpartition(".")
        return NewImport(parent, name, bound, alias)
    if found.kind == "tf2" or found.target.startswith("tf.compat"):
        return was
    if found.target.startswith("tf.app"):  # an import of the module by itself has no flags
        parent, _, name = _module(found).rpartition(".")
        return NewImport(parent, name, bound, alias)
    return NewImport("", _module(found), bound, alias)


def _module(found: Found) -> str:
    """The dotted path that an import takes it from."""
    if found.kind == "private":
        return found.target
    return V1 + found.target[2:].replace(".app.flags", ".flags")
