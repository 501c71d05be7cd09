"""`File`: one module under migration: its tree, what its names mean, what it will import, what there is to tell."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol, TypeVar

from tf2towers.exact.edits import Edit, Placed, Text
from tf2towers.exact.libraries.names import LibraryNames
from tf2towers.exact.lookup import Found, find_replacement, public_spelling
from tf2towers.names.canonical import canonical_name
from tf2towers.names.meanings import Assigned, Binding, Imported, Meanings
from tf2towers.names.tables import is_module
from tf2towers.report.result import FindingKind
from tf2towers.source.local_imports import LocalImports
from tf2towers.source.nodes import Function, bound_by, root_of
from tf2towers.source.script import Script
from tf2towers.source.syntax import parse

RUNTIME = "tf2towers.runtime"
#: where modules are named: `layers.conv2d`, with `from tf2towers.runtime.tf1 import layers`
_HOMES_OF_MODULES = (RUNTIME, f"{RUNTIME}.contrib", f"{RUNTIME}.tf1", "tf_slim")

Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class Note:
    """A message to the user about a place."""

    code: str
    message: str
    line: int
    column: int
    kind: FindingKind


class WholeProgram(Protocol):
    """What is asked of the program that a file is a part of."""

    towers: str | None
    files: list[File]
    others: list[Path]

    imports: LocalImports

    @property
    def read(self) -> Callable[[Path], Script]:
        """Reads a module, as the program does."""

    @property
    def is_tf1(self) -> bool:
        """Whether anything in it is TF1."""

    @property
    def is_tf2(self) -> bool:
        """Whether it runs on TF 2."""

    @property
    def may_be_of_tf0(self) -> bool:
        """Whether something in it ended with TensorFlow 1.0."""

    @property
    def plain_is_tf2(self) -> bool:
        """Whether `tf.x` means TF 2's."""

    @property
    def never_called(self) -> frozenset[ast.AST]:
        """The functions and classes that nothing names."""

    @property
    def all_files(self) -> list[File]:
        """Its files, those without TensorFlow, too."""

    @property
    def library_names(self) -> LibraryNames:
        """The names of libraries in the program's files."""

    def file(self, path: Path) -> File | None:
        """The file at a path."""

    def module_of(self, file: File, dotted: str) -> File | None:
        """The file that a file's import means."""

    def defined(self, file: File, canonical: str) -> tuple[File, ast.AST] | None:
        """The function or class that a name means."""


def first_name(symbol: ast.AST) -> ast.Name:
    """The name that a symbol begins with."""
    name = root_of(symbol)
    assert isinstance(name, ast.Name)
    return name


class File:
    """One module of a program."""

    def __init__(self, script: Script, program: WholeProgram, *, main: bool) -> None:
        self.script = script
        self.program = program
        self.main = main
        self.tree = parse(script.text, script.path)
        self.meanings = Meanings(self.tree)
        self.text = Text(script.text)
        self.notes: list[Note] = []
        #: imports that the rewrites ask for: (module, name) -> the name here
        self.wanted: dict[tuple[str, str], str] = {}
        #: files in C or Cython that it imports
        self.compiled: list[Path] = []
        #: a line to write after the imports
        self.opening: str | None = None
        #: the place in the body of a statement that new imports have to precede
        self.imports_before: int | None = None
        self._reserved: set[str] = set()
        self._asked: set[str] = set()
        self._nodes_by_type: dict[type[ast.AST], list[ast.AST]] = {}
        for node in self.meanings.nodes:
            self._nodes_by_type.setdefault(type(node), []).append(node)

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.script.path

    def all(self, kind: type[Node]) -> list[Node]:
        """Every node of a kind, in the order of the text."""
        return self._nodes_by_type.get(kind, [])  # type: ignore[return-value]

    @cached_property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """Every import, at any depth."""
        return [*self.all(ast.Import), *self.all(ast.ImportFrom)]

    def canonical(self, node: ast.AST) -> str | None:
        """The canonical name of a Name or Attribute: the public one, also where it comes from a private module."""
        spelled = self.spelled(node)
        return None if spelled is None else public_spelling(spelled)

    def spelled(self, node: ast.AST) -> str | None:
        """The canonical name by the modules that the file names: `tf.python.ops.array_ops.concat`, not `tf.concat`."""
        return self.meanings.canonical(node)

    def parent(self, node: ast.AST) -> ast.AST:
        """The node a node is a part of."""
        return self.meanings.parents[node]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, innermost first."""
        while node in self.meanings.parents:
            node = self.meanings.parents[node]
            yield node

    def function_around(self, node: ast.AST) -> Function | None:
        """The innermost function that a node is in."""
        return next((ancestor for ancestor in self.ancestors(node) if isinstance(ancestor, Function)), None)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement a node is in."""
        while not isinstance(node, ast.stmt):
            node = self.meanings.parents[node]
        return node

    def forget(self, imports: set[ast.Import | ast.ImportFrom]) -> None:
        """Leaves imports that are never run out of the meanings of names that something else binds, too."""
        self.meanings.forget(imports)
        for known in ("symbols", "spelled_symbols", "doubtful"):
            self.__dict__.pop(known, None)

    @cached_property
    def symbols(self) -> list[tuple[ast.Name | ast.Attribute, str]]:
        """Every use of something of TensorFlow outside imports: the longest attribute chain, and its canonical name."""
        return [(node, public_spelling(spelled)) for node, spelled in self.spelled_symbols]

    @cached_property
    def spelled_symbols(self) -> list[tuple[ast.Name | ast.Attribute, str]]:
        """`symbols` by the modules that the file names."""
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

    @cached_property
    def doubtful(self) -> list[tuple[ast.Name, str]]:
        """Uses of names that stand for a module of TensorFlow's and for something else, and what they may mean."""
        found: list[tuple[ast.Name, str]] = []
        for name in self.all(ast.Name):
            if not isinstance(name.ctx, ast.Load) or self.meanings.canonical(name) is not None:
                continue
            if isinstance(self.parent(name), ast.BinOp | ast.UnaryOp | ast.Compare | ast.FormattedValue):
                continue  # nobody adds or compares modules
            for meaning in self.meanings.possible_meanings(name):
                if meaning == "tf" or (meaning.startswith("tf.") and is_module(meaning)):
                    parts, node = [meaning], self.parent(name)
                    while isinstance(node, ast.Attribute):
                        parts.append(node.attr)
                        node = self.parent(node)
                    found.append((name, canonical_name(".".join(parts))))
        return found

    def imported_from_v1(self, node: ast.Name | ast.Attribute) -> bool:
        """Whether a use goes through an import of `tensorflow.compat.v1`, which TF 2 programs have too."""
        return any(
            isinstance(binding, Imported) and binding.target.startswith("tensorflow.compat.v1")
            for binding in self.meanings.bindings(first_name(node))
        )

    def is_plain(self, node: ast.Name | ast.Attribute, through: tuple[ast.AST, ...] = ()) -> bool:
        """Whether a use is taken from plain `tensorflow` by an import, and says no `compat.v1`.

        `through` are the values of `tf = tensorflow` that led here.
        """
        if "compat.v1" in self.text.of(node):
            return False
        for binding in self.meanings.bindings(first_name(node)):
            if isinstance(binding, Assigned) and isinstance(
                binding.value, ast.Name | ast.Attribute
            ):  # `tf = tensorflow`
                if binding.value not in through and not self.is_plain(
                    binding.value, (*through, binding.value)
                ):
                    return False
            elif not isinstance(binding, Imported) or binding.target.startswith("tensorflow.compat."):
                return False
        return True

    @cached_property
    def identifiers(self) -> set[str]:
        """Every name the file uses, for new ones to keep clear of."""
        found = {name.id for name in self.all(ast.Name)} | self.bound_names
        for module in self.meanings.star_imports:
            other = self.program.module_of(self, module)
            found.update(other.meanings.module.bindings if other is not None else ())
        return found

    @cached_property
    def bound_names(self) -> frozenset[str]:
        """The names that the file binds anywhere, by whatever means."""
        found = {use.id for use in self.all(ast.Name) if not isinstance(use.ctx, ast.Load)}
        found.update(argument.arg for argument in self.all(ast.arg))
        found.update(definition.name for definition in self.all(ast.FunctionDef))
        found.update(definition.name for definition in self.all(ast.AsyncFunctionDef))
        found.update(definition.name for definition in self.all(ast.ClassDef))
        found.update(map(bound_by, self.all(ast.alias)))
        return frozenset(found)

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
                for made in made_by(self, statement):
                    if (made.module, made.name) == (module, name) and not self.is_left_through(made.bound):
                        return made.bound
        return None

    def is_left_through(self, bound: str) -> bool:
        """Whether something without counterpart is used through a module of this name: its import stays as it was."""
        return any(
            isinstance(symbol, ast.Attribute)
            and first_name(symbol).id == bound
            and find_replacement(canonical).kind == "left"
            for symbol, canonical in self.spelled_symbols
        )

    def name_of(self, found: Found) -> str:
        """The text for what stands for a symbol where it cannot be reached from TensorFlow's own name."""
        if found.runtime is not None:
            module, name = found.runtime
            parent, _, last = module.rpartition(".")
            if parent in _HOMES_OF_MODULES and module not in _HOMES_OF_MODULES:
                return f"{self.need(last, parent)}.{name}"
            first, dot, rest = name.partition(".")
            return self.need(first, module) + dot + rest
        if found.kind == "private":
            parent, _, name = found.target.rpartition(".")
            return self.need(name, parent)
        if found.kind == "tf2":
            return self.plain_tensorflow() + found.target[2:]
        names = self.top_names()
        for candidate in names:
            if self.is_v1(candidate):
                return candidate.id + found.target[2:]
        head = f"{names[0].id}.compat.v1" if names else self.need_module("tensorflow.compat.v1", "tf")
        return head + found.target[2:]

    def plain_tensorflow(self) -> str:
        """A name for plain TensorFlow, which has TF 2's strategies: the file's own, or a new import's."""
        plain = next((use for use in self.top_names() if not self.is_v1(use)), None)
        return plain.id if plain is not None else self.need_module("tensorflow", "tf2")

    def need_module(self, module: str, name: str) -> str:
        """Asks for `import module as name`; the name to write for it."""
        key = ("", module)
        if key not in self.wanted:
            self.wanted[key] = self.fresh(name)
            self._reserved.add(self.wanted[key])
        return self.wanted[key]

    def top_names(self) -> list[ast.Name]:
        """The names that the file's top level gives TensorFlow itself by imports, `tf` first."""
        found = []
        for name, bindings in self.meanings.module.bindings.items():
            if all(isinstance(binding, Imported) for binding in bindings):
                if self.meanings.canonical_of(name, self.meanings.module) == "tf":
                    found.append(name)
        return [ast.Name(name, ast.Load()) for name in sorted(found, key=lambda name: name != "tf")]

    def is_v1(self, node: ast.expr) -> bool:
        """Whether a name for TensorFlow stands for `tensorflow.compat.v1` once the imports are rewritten."""
        if isinstance(node, ast.Attribute):
            if node.attr == "v1":
                return True
            module = self.meanings.canonical(node.value)
            other = self.program.module_of(self, module) if module is not None else None
            return other is not None and other.is_v1(ast.Name(node.attr, ast.Load()))
        if not isinstance(node, ast.Name) or node.id in self._asked:
            return False
        self._asked.add(node.id)
        try:
            scope = self.meanings.scope(node) if node in self.meanings.parents else self.meanings.module
            found = scope.lookup(node.id)
            if found is not None:
                return any(self._binds_v1(binding) for binding in found[1])
            stars = [self.program.module_of(self, module) for module in self.meanings.star_imports]
            return any(other is not None and other.is_v1(ast.Name(node.id, ast.Load())) for other in stars)
        finally:
            self._asked.discard(node.id)

    def _binds_v1(self, binding: Binding) -> bool:
        if isinstance(binding, Assigned):
            return self.is_v1(binding.value)
        if not isinstance(binding, Imported):
            return False
        if binding.target.partition(".")[0] == "tensorflow":
            return binding.target != "tensorflow" or not self.keeps_plain(binding.alias)
        module, _, name = binding.target.rpartition(".")
        other = self.program.module_of(self, module)
        return other is not None and other.is_v1(ast.Name(name, ast.Load()))

    def keeps_plain(self, alias: ast.alias) -> bool:
        """Whether `import tensorflow` stays plain: in a program that runs on TF 2, and beside `import tensorflow.x`.

        So it does where only TF 2's own is taken from it: the strategy.
        """
        if self.program.plain_is_tf2 or (alias.asname is None and self._has_dotted):
            return True
        return alias.name == "tensorflow" and (alias.asname or alias.name) in self._tf2_names

    @cached_property
    def _has_dotted(self) -> bool:
        """Whether `import tensorflow.python.x` binds `tensorflow`, which then has to be the package itself."""
        from tf2towers.exact.imports import stays_dotted

        return any(
            alias.asname is None and stays_dotted(alias.name)
            for node in self.all(ast.Import)
            for alias in node.names
        )

    @cached_property
    def _tf2_names(self) -> set[str]:
        """The names of modules from which the file takes only what TF 2 alone has."""
        from tf2towers.exact.lookup import find_replacement

        uses: dict[str, bool] = {}
        for node, canonical in self.spelled_symbols:
            name = self.text.of(node).partition(".")[0]
            only = self.on_tower_devices(node, canonical) or find_replacement(canonical).kind == "tf2"
            uses[name] = uses.get(name, True) and only
        return {name for name, only in uses.items() if only}

    def on_tower_devices(self, node: ast.AST, canonical: str) -> bool:
        """Whether it is the strategy that T2T605 writes."""
        call = self.parent(node)
        if canonical != "tf.distribute.MirroredStrategy" or not isinstance(call, ast.Call):
            return False
        if len(call.args) != 1 or not isinstance(call.args[0], ast.Call):
            return False
        return self.canonical(call.args[0].func) == "tf2towers.runtime.tower_devices"

    def note(self, node: Placed, code: str, message: str, kind: FindingKind = "left") -> None:
        """Adds a note, once a place and code."""
        made = Note(code, message, node.lineno, node.col_offset + 1, kind)
        if made not in self.notes:
            self.notes.append(made)

    def replace(self, node: Placed, text: str) -> Edit:
        """A node's text becomes another."""
        return Edit(self.text.start(node), self.text.end(node), text)
