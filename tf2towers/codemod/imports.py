"""What a TensorFlow import binds after the migration, alias by alias."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import libcst as cst

from tf2towers.codemod.nodes import Alias, Import, aliases, as_named, asname_of, module_of, name_of
from tf2towers.codemod.symbols import (
    STANDARDIZATION,
    Found,
    canonical_name,
    find_replacement,
    import_home,
    public_spelling,
)

V1 = "tensorflow.compat.v1"


@dataclass(frozen=True)
class NewImport:
    """`from module import name as bound`, or `import name as bound` where there is no module."""

    module: str
    name: str
    bound: str
    alias: Alias
    #: set if the name has no replacement
    left: Found | None = None

    @property
    def text(self) -> str:
        """The name in its import statement."""
        return as_named(self.name, self.bound)


#: the module of TensorFlow's flags, then and now
PRIVATE_FLAGS = "tensorflow.python.platform.flags"


def is_tensorflow(dotted: str) -> bool:
    """True if a dotted name is TensorFlow's."""
    return dotted.partition(".")[0] == "tensorflow"


def imports_made_by(keeps_plain: Callable[[Alias], bool], node: Import) -> Iterator[NewImport]:
    """The new import for each alias of an import statement; other libraries' stay as they are."""
    for alias in aliases(node):
        if isinstance(node, cst.ImportFrom):
            yield _from_import(node, alias)
        else:
            yield _import(keeps_plain, alias)


def stays_dotted(dotted: str) -> bool:
    """True if `import tensorflow.x.y` without `as` stays: there is such a module."""
    kind = find_replacement(canonical_name(dotted)).kind
    return dotted.startswith("tensorflow.") and kind in ("v1", "tf2", "private")


def _from_import(node: cst.ImportFrom, alias: Alias) -> NewImport:
    module = module_of(node)
    bound = asname_of(alias) or name_of(alias)
    was = NewImport(module, name_of(alias), bound, alias)
    if node.relative or not is_tensorflow(module):
        return was
    if name_of(alias) == "*":
        root = canonical_name(module)
        found = find_replacement(root)
        if found.runtime is not None:
            return NewImport(".".join(found.runtime), "*", "*", alias)
        return NewImport(V1 + root[2:], "*", "*", alias) if found.kind == "v1" else was
    canonical = canonical_name(f"{module}.{name_of(alias)}")
    found = find_replacement(canonical)
    if public_spelling(canonical) == STANDARDIZATION:
        found = Found(
            "left", code="T2T620", why=f"{STANDARDIZATION} is taken before it is TF 1.15's; instead: its name"
        )
    if (made := _made_alike(was, found)) is not None or canonical == "tf":
        return made or was
    if found.target.startswith("tf.app.flags."):  # no module of compat.v1 that names could be imported from
        return was if module == PRIVATE_FLAGS else NewImport(PRIVATE_FLAGS, name_of(alias), bound, alias)
    parent, _, name = _module(found).rpartition(".")
    return NewImport(parent, name, bound, alias)


def _import(keeps_plain: Callable[[Alias], bool], alias: Alias) -> NewImport:
    bound = asname_of(alias) or name_of(alias)
    was = NewImport("", name_of(alias), bound, alias)
    if not is_tensorflow(name_of(alias)):
        return was
    if asname_of(alias) is None:
        if keeps_plain(alias) or stays_dotted(name_of(alias)):
            return was
        return NewImport("", V1, "tensorflow", alias)  # names that are gone are rewritten where they are used
    canonical = canonical_name(name_of(alias))
    found = find_replacement(canonical)
    if canonical == "tf":
        return was if keeps_plain(alias) else NewImport("", V1, bound, alias)
    if (made := _made_alike(was, found)) is not None:
        return made
    if found.target.startswith("tf.app"):  # an import of the module by itself is without flags
        parent, _, name = _module(found).rpartition(".")
        return NewImport(parent, name, bound, alias)
    return NewImport("", _module(found), bound, alias)


def _made_alike(was: NewImport, found: Found) -> NewImport | None:
    """The new import where both forms have the same: left, from the runtime, or as it was; None for others."""
    if found.kind == "left":
        return replace(was, left=found)
    if found.runtime is not None:
        parent, _, name = ".".join(found.runtime).rpartition(".")
        return replace(was, module=import_home(parent), name=name)
    return was if found.kind == "tf2" or found.target.startswith("tf.compat") else None


def _module(found: Found) -> str:
    """The dotted path from which an import takes a replacement."""
    if found.kind == "private":
        return found.target
    return V1 + found.target[2:].replace(".app.flags", ".flags")
