"""`File`: one module under migration: its tree, what its names mean, what it will import, what there is to tell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tf2towers.exact.edits import Edit, Placed, Text
from tf2towers.names.meanings import Meanings
from tf2towers.report.result import FindingKind
from tf2towers.source.script import Script
from tf2towers.source.syntax import parse

if TYPE_CHECKING:
    from tf2towers.exact.lookup import Found
    from tf2towers.exact.program import Program

RUNTIME = "tf2towers.runtime"

Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class Note:
    """Something to tell about a place."""

    code: str
    message: str
    line: int
    column: int
    kind: FindingKind


class File:
    """One module of a program."""

    def __init__(self, script: Script, program: Program, *, main: bool) -> None:
        self.script = script
        self.program = program
        self.main = main
        self.tree = parse(script.text, script.path)
        self.meanings = Meanings(self.tree)
        self.text = Text(script.text)
        self.notes: list[Note] = []
        #: imports that the rewrites ask for: (module, name) -> the name here
        self.wanted: dict[tuple[str, str], str] = {}
        #: a line to write after the imports
        self.opening: str | None = None
        #: the place in the body of a statement that new imports have to precede
        self.imports_before: int | None = None
        self._reserved: set[str] = set()
        self._kinds: dict[type[ast.AST], list[ast.AST]] = {}
        for node in self.meanings.nodes:
            self._kinds.setdefault(type(node), []).append(node)

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.script.path

    def all(self, kind: type[Node]) -> list[Node]:
        """Every node of a kind, in the order of the text."""
        return self._kinds.get(kind, [])  # type: ignore[return-value]

    @cached_property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """Every import, at any depth."""
        return [*self.all(ast.Import), *self.all(ast.ImportFrom)]

    def canonical(self, node: ast.AST) -> str | None:
        """The canonical name of a Name or Attribute."""
        return self.meanings.canonical(node)

    def parent(self, node: ast.AST) -> ast.AST:
        """The node a node is a part of."""
        return self.meanings.parents[node]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, innermost first."""
        while node in self.meanings.parents:
            node = self.meanings.parents[node]
            yield node

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement a node is in."""
        while not isinstance(node, ast.stmt):
            node = self.meanings.parents[node]
        return node

    @cached_property
    def symbols(self) -> list[tuple[ast.Name | ast.Attribute, str]]:
        """Every use of something of TensorFlow outside imports: the longest attribute chain, and its canonical name."""
        found: list[tuple[ast.Name | ast.Attribute, str]] = []
        for name in self.all(ast.Name):
            if not isinstance(name.ctx, ast.Load):
                continue
            root = self.meanings.canonical(name)
            if root is None:
                continue
            node: ast.Name | ast.Attribute = name
            parent = self.meanings.parents[node]
            while isinstance(parent, ast.Attribute):
                node, parent = parent, self.meanings.parents[parent]
            if node is name and root.partition(".")[0] != "tf":
                continue
            canonical = self.meanings.canonical(node)
            if canonical is not None and canonical.partition(".")[0] == "tf":
                found.append((node, canonical))
        return found

    def imported_from_v1(self, node: ast.Name | ast.Attribute) -> bool:
        """Whether a use goes through an import of `tensorflow.compat.v1`, which TF 2 programs have too."""
        from tf2towers.names.meanings import Imported

        root: ast.AST = node
        while isinstance(root, ast.Attribute):
            root = root.value
        assert isinstance(root, ast.Name)
        return any(
            isinstance(one, Imported) and one.target.startswith("tensorflow.compat.v1")
            for one in self.meanings.bindings(root)
        )

    def is_plain(self, node: ast.Name | ast.Attribute) -> bool:
        """Whether a use is taken from plain `tensorflow` by an import, and says no `compat.v1`."""
        from tf2towers.names.meanings import Imported

        root: ast.AST = node
        while isinstance(root, ast.Attribute):
            root = root.value
        assert isinstance(root, ast.Name)
        return "compat.v1" not in self.text.of(node) and all(
            isinstance(one, Imported) and not one.target.startswith("tensorflow.compat.")
            for one in self.meanings.bindings(root)
        )

    @cached_property
    def identifiers(self) -> set[str]:
        """Every name the file uses, for new ones to keep clear of."""
        found = {name.id for name in self.all(ast.Name)}
        found.update(arg.arg for arg in self.all(ast.arg))
        found.update(node.name for node in self.all(ast.FunctionDef))
        found.update(node.name for node in self.all(ast.AsyncFunctionDef))
        found.update(node.name for node in self.all(ast.ClassDef))
        for alias in self.all(ast.alias):
            found.add(alias.asname or alias.name.partition(".")[0])
        for module in self.meanings.star_imports:
            other = self.program.module_of(self, module)
            found.update(other.meanings.module.bindings if other is not None else ())
        return found

    def fresh(self, name: str) -> str:
        """`name`, or `name_2` and so on where the file has it already."""
        candidate, count = name, 1
        while candidate in self.identifiers or candidate in self._reserved:
            count += 1
            candidate = f"{name}_{count}"
        return candidate

    def need(self, name: str, module: str = RUNTIME) -> str:
        """Asks for `from module import name`; the name to write for it."""
        key = (module, name)
        if key not in self.wanted:
            bound = self._imported_as(name, module) or self.fresh(name)
            self._reserved.add(bound)
            self.wanted[key] = bound
        return self.wanted[key]

    def _imported_as(self, name: str, module: str) -> str | None:
        """The name by which the file's top level has it already, or will have once its imports are rewritten."""
        from tf2towers.exact.imports import made_by

        for statement in self.tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                for one in made_by(statement):
                    if (one.module, one.name) == (module, name):
                        return one.bound
        return None

    def name_of(self, found: Found) -> str:
        """The text for what stands for a symbol where it cannot be reached from TensorFlow's own name."""
        if found.runtime is not None:
            module, name = found.runtime
            parent, _, last = module.rpartition(".")
            if parent == RUNTIME:  # `layers.conv2d`, with `from tf2towers.runtime import layers`
                return f"{self.need(last, parent)}.{name}"
            first, dot, rest = name.partition(".")
            return self.need(first, module) + dot + rest
        if found.kind == "private":
            parent, _, name = found.target.rpartition(".")
            return self.need(name, parent)
        root = self.tensorflow
        if root is not None:
            return root + found.target[2:]
        return self.need("tensorflow", "") + found.target[2:]

    @cached_property
    def tensorflow(self) -> str | None:
        """The name that the file's top level gives TensorFlow itself by an import; None where it has none."""
        from tf2towers.names.meanings import Imported

        names = [
            name
            for name, bindings in self.meanings.module.bindings.items()
            if all(isinstance(one, Imported) for one in bindings)
            and self.meanings.canonical_of(name, self.meanings.module) == "tf"
        ]
        return "tf" if "tf" in names else next(iter(names), None)

    def note(self, node: Placed, code: str, message: str, kind: FindingKind = "left") -> None:
        """Adds a note, once a place and code."""
        made = Note(code, message, node.lineno, node.col_offset + 1, kind)
        if made not in self.notes:
            self.notes.append(made)

    def replace(self, node: Placed, text: str) -> Edit:
        """A node's text becomes another."""
        return Edit(self.text.start(node), self.text.end(node), text)
