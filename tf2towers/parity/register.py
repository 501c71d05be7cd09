"""Of which register a migrated script is: what it imports of `tf2towers.runtime` says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import libcst as cst

from tf2towers.codemod.meanings import Meanings
from tf2towers.codemod.nodes import imported, module_of
from tf2towers.codemod.tree import Tree
from tf2towers.runtime import _HOMES
from tf2towers.source.errors import SourceError
from tf2towers.source.local_imports import program_files

_RUNTIME = "tf2towers.runtime"
#: names of the runtime that only an exact migration imports
NAMES = frozenset(name for name, home in _HOMES.items() if home.startswith("graph_session."))


def is_exact(script: Path) -> bool:
    """Whether the script, or a local module that it reaches, uses the exact register's part of the runtime."""
    return any(name in NAMES for path in program_files(script) for name in _used(path))


def is_on_runtime(script: Path) -> bool:
    """Whether it, or a local module of it, is a program that `migrate` has written.

    A program of a user's own may take single modules of the runtime (`tf2towers.runtime.memory`, as `modern/` does);
    what `migrate` writes takes names of the runtime itself.
    """
    return any(True for path in program_files(script) for _ in _used(path))


def _used(path: Path) -> Iterator[str]:
    """The names of the runtime that a file imports, or takes from a module that it imports."""
    try:
        tree = Tree(path.read_text(encoding="utf-8", errors="replace"), path)
    except (SourceError, OSError):
        return  # what cannot be read is said by who runs it
    meanings = Meanings(tree)
    for node in tree.all(cst.ImportFrom):
        if module_of(node).startswith(f"{_RUNTIME}.graph_session"):
            yield from NAMES
        elif module_of(node) == _RUNTIME:
            yield from (name.rpartition(".")[2] for _, name in imported(node))
    for attribute in tree.all(cst.Attribute):
        if meanings.canonical(attribute.value) == _RUNTIME:
            yield attribute.attr.value
