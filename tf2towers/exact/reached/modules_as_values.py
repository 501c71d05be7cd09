"""Which expressions may have a module of the program for their value: in one, names may be looked up."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tf2towers.names.meanings import Assigned, Imported
from tf2towers.source.nodes import last_name, root_of

if TYPE_CHECKING:
    from tf2towers.exact.file import File

#: what gives any module that there is
_ALL_MODULES = frozenset({"sys.modules", "inspect.getmodule", "gc.get_objects"})
#: what makes a module of a text or of a file
_MAKE_MODULES = frozenset(
    {
        "__import__", "import_module", "load_source", "load_module", "SourceFileLoader", "module_from_spec", "reload",
        "run_path", "run_module", "LazyLoader", "locate", "import_string", "resolve_name",
    }
)  # fmt: skip
#: functions that take a module, and keep it nowhere
_ASK = ("getattr", "hasattr")


class Modules:
    """The modules of a program, as values.

    Most programs name a module only to take something from it. Then no parameter, attribute or element is one.
    """

    def __init__(self, paths: Sequence[Path], runs: Sequence[tuple[File, ast.AST]]) -> None:
        """Of the modules at `paths`, in which these parts may run."""
        self._runs = runs
        self._names = {path.parent.name if path.name == "__init__.py" else path.stem for path in paths}

    def may_be(self, file: File, value: ast.expr) -> bool:
        """Whether an expression may be a module of the program."""
        if isinstance(value, ast.Name) and value.id in ("self", "FLAGS"):
            return False
        return self._names_one(file, value) or (self._are_handed_on and not _is_other(file, value))

    @cached_property
    def _are_handed_on(self) -> bool:
        """Whether the program does more with one of its modules than to take something from it."""
        return any(
            isinstance(node, ast.Name | ast.Attribute) and self._is_handed_on(file, node)
            for file, part in self._runs
            for node in ast.walk(part)
        )

    def _is_handed_on(self, file: File, node: ast.Name | ast.Attribute) -> bool:
        if last_name(node) in _MAKE_MODULES or file.canonical(node) in _ALL_MODULES:
            return True
        around = file.parent(node)
        if isinstance(around, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            return False
        if isinstance(around, ast.Call) and (around.func is node or last_name(around.func) in _ASK):
            return False
        return self._names_one(file, node)

    def _names_one(self, file: File, value: ast.expr) -> bool:
        """Whether an expression names a module of the program, or may: by an import, or a star."""
        rest: list[str] = []
        root = value
        while isinstance(root, ast.Attribute):
            rest.insert(0, root.attr)
            root = root.value
        if not isinstance(root, ast.Name):
            return False
        bindings = file.meanings.bindings(root)
        if not bindings:
            return bool(file.meanings.star_imports) and [root.id, *rest][-1] in self._names
        local = file.program.imports.imports_of(file.path)
        roots = {dotted.partition(".")[0] for dotted in local}
        named = [".".join([each.target, *rest]) for each in bindings if isinstance(each, Imported)]
        return any(
            name in local or (name.partition(".")[0] in roots and name.rpartition(".")[2] in self._names)
            for name in named
        )


def _is_other(file: File, value: ast.expr) -> bool:
    """Whether a value certainly is something else: a module of a library, or what `parse_args()` gives."""
    root = root_of(value)
    bindings = file.meanings.bindings(root) if isinstance(root, ast.Name) else []
    if bindings and all(isinstance(binding, Imported) for binding in bindings):
        return True  # it names none of ours
    return (
        isinstance(value, ast.Name)
        and bool(bindings)
        and all(isinstance(binding, Assigned) and _parses(binding.value) for binding in bindings)
    )


def _parses(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and last_name(value.func) == "parse_args"
