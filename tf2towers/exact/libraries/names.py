"""What a name of NumPy, SciPy or another library is, also where a local module hands it on (`from common import *`)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

from tf2towers.names.meanings import Binding, Imported, Meanings
from tf2towers.source.local_imports import LocalImports
from tf2towers.source.nodes import module_of


class Module(Protocol):
    """What `LibraryNames` asks of a file of the program."""

    meanings: Meanings

    @property
    def path(self) -> Path:
        """Where the file is."""

    def canonical(self, node: ast.AST) -> str | None:
        """What a name of it stands for, by its own imports."""


class LibraryNames:
    """The names of libraries in the files of a program; each module is read once.

    `files` are those under migration, `others` the local modules that are not, which `other` reads.
    """

    def __init__(
        self,
        files: Sequence[Module],
        others: Sequence[Path],
        imports: LocalImports,
        other: Callable[[Path], Module],
    ) -> None:
        self._files = {file.path.absolute(): file for file in files}
        self._others = others
        self._imports = imports
        self._other = other

    def canonical(self, file: Module, node: ast.expr) -> str | None:
        """The dotted name of a name or an attribute, rooted at its library; None where it is not known."""
        return self._rooted(file.path, file.meanings, node, file.canonical(node))

    def is_used(self, dotted: str) -> bool:
        """Whether a module of the program has a name of a library, by whatever import: `gym.make`."""
        for path in self._paths():
            meanings = self._meanings_of(path)
            for node in meanings.nodes:
                if isinstance(node, ast.Name | ast.Attribute):
                    if self._rooted(path, meanings, node, meanings.canonical(node)) == dotted:
                        return True
        return False

    def starred(self, file: Module) -> frozenset[str]:
        """The libraries' modules of which a file gets everything: by its own stars, and by those of local modules."""
        return self._starred(file.path, file.meanings, frozenset())

    def _starred(self, path: Path, meanings: Meanings, seen: frozenset[Path]) -> frozenset[str]:
        local = self._readable(path)
        found = {module for module in meanings.star_imports if module not in local}
        for home in {local[module] for module in meanings.star_imports if module in local} - seen:
            found |= self._starred(home, self._meanings_of(home), seen | {home})
        return frozenset(found)

    def _rooted(self, path: Path, meanings: Meanings, node: ast.expr, name: str | None) -> str | None:
        """The dotted name of a node, of which the file says `name`."""
        if name is not None:
            return self._followed(path, name, frozenset())
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or not meanings.star_imports or meanings.bindings(node):
            return None
        found = self._by_stars(path, meanings, node.id, frozenset())
        return ".".join([found, *reversed(parts)]) if found is not None else None

    @cached_property
    def imported(self) -> frozenset[str]:
        """What the program's modules import: libraries (`PIL`), and their modules and names (`PIL.ImageFont`)."""
        found: set[str] = set()
        for meanings in self.all_meanings():
            for node in meanings.nodes:
                if isinstance(node, ast.Import):
                    found.update(alias.name for alias in node.names)
                    found.update(alias.name.partition(".")[0] for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    module = node.module or ""
                    found.update((module, module.partition(".")[0]))
                    found.update(f"{module}.{alias.name}" for alias in node.names)
        return frozenset(found)

    @cached_property
    def methods(self) -> frozenset[str]:
        """The methods that classes of the program define."""
        return frozenset(
            inner.name
            for meanings in self.all_meanings()
            for node in meanings.nodes
            if isinstance(node, ast.ClassDef)
            for inner in node.body
            if isinstance(inner, ast.FunctionDef)
        )

    def may_have(self, file: Module, name: str) -> bool:
        """Whether a file may have a name that it does not bind: by a star, or as one that is made Python's own."""
        given = any(
            isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == name
            for meanings in self.all_meanings()
            for node in meanings.nodes
        )
        return given or self._stars_may_bind(file.path, file.meanings, name, frozenset())

    def _stars_may_bind(self, path: Path, meanings: Meanings, name: str, seen: frozenset[Path]) -> bool:
        local = self._readable(path)
        for module in meanings.star_imports:
            if (home := local.get(module)) is None:
                if not module.startswith("tensorflow"):
                    return True  # nobody knows what it has
            elif home not in seen:
                other = self._meanings_of(home)
                if name in other.module.bindings or self._stars_may_bind(home, other, name, seen | {home}):
                    return True
        return False

    def is_taken(self, file: Module, name: str) -> bool:
        """Whether another module of the program may take a name that a file binds from there.

        It does by `from file import name`, by `file.name`, by a star, or where it hands the module on, whose attributes
        are then taken where nobody sees it. What its own import binds under that name is no use of this one.
        """
        return self._is_taken(file.path.absolute(), name, frozenset())

    def _is_taken(self, home: Path, name: str, seen: frozenset[Path]) -> bool:
        return any(
            self._takes(path, home, name, seen | {home})
            for path in self._paths()
            if path.absolute() not in seen | {home} and home in self._local(path).values()
        )

    def _takes(self, path: Path, home: Path, name: str, seen: frozenset[Path]) -> bool:
        """Whether one module that imports another may take a name from it."""
        meanings, local = self._meanings_of(path), self._local(path)
        if any(local.get(module) == home for module in meanings.star_imports):
            own = meanings.module.bindings.get(name, [])
            if not own and self._is_taken(path.absolute(), name, seen):  # it hands the name on
                return True
            alike = own and self._bind_alike(own, self._meanings_of(home).module.bindings.get(name, []))
            if not alike and any(isinstance(node, ast.Name) and node.id == name for node in meanings.nodes):
                return True
        for node in meanings.nodes:
            if isinstance(node, ast.ImportFrom):
                from_here = local.get(module_of(node)) == home
                taken = from_here and any(alias.name == name for alias in node.names)
            elif isinstance(node, ast.Attribute):
                taken = node.attr == name and not self._is_of_library(meanings, node.value, local)
            elif isinstance(node, ast.Constant):  # getattr(module, 'misc')
                taken = node.value == name
            else:
                taken = isinstance(node, ast.Name) and self._is_handed_on(meanings, node, local, home)
            if taken:
                return True
        return False

    @staticmethod
    def _is_handed_on(meanings: Meanings, node: ast.Name, local: dict[str, Path], home: Path) -> bool:
        """Whether a name begins a use of the whole module `home`, of which no attribute is taken at once."""
        whole: ast.expr = node
        while True:
            around = meanings.parents.get(whole)
            if local.get(meanings.canonical(whole) or "") == home:
                return not isinstance(around, ast.Attribute)
            if not isinstance(around, ast.Attribute):
                return False
            whole = around

    @staticmethod
    def _bind_alike(these: Sequence[Binding], those: Sequence[Binding]) -> bool:
        """Whether all bindings are imports of one thing: then it is the same one whichever comes last."""
        found = {binding.target if isinstance(binding, Imported) else None for binding in (*these, *those)}
        return len(found) == 1 and None not in found

    @staticmethod
    def _is_of_library(meanings: Meanings, value: ast.expr, local: dict[str, Path]) -> bool:
        """Whether a value certainly is a module that is none of the program's."""
        name = meanings.canonical(value) if isinstance(value, ast.Name | ast.Attribute) else None
        if name is None or not (imported := name.partition(".")[0]):
            return False
        return not any(dotted.partition(".")[0] == imported for dotted in local)

    def _followed(self, path: Path, name: str, seen: frozenset[tuple[Path, str]]) -> str | None:
        """A dotted name of a file, rooted at its library also where it begins with a local module's."""
        local = self._readable(path)
        for dotted in sorted(local, key=len, reverse=True):
            if name.startswith(f"{dotted}."):
                first, _, rest = name[len(dotted) + 1 :].partition(".")
                found = self._meaning(local[dotted], first, seen)
                return None if found is None else f"{found}.{rest}" if rest else found
        return name

    def _meaning(self, path: Path, name: str, seen: frozenset[tuple[Path, str]]) -> str | None:
        """What a name at the top of a local module stands for."""
        if (path, name) in seen:
            return None
        seen |= {(path, name)}
        meanings = self._meanings_of(path)
        found = meanings.canonical_of(name, meanings.module)
        if found is not None and found != name:
            return self._followed(path, found, seen)
        if name in meanings.module.bindings:
            imported = all(isinstance(binding, Imported) for binding in meanings.module.bindings[name])
            return found if imported else None
        return self._by_stars(path, meanings, name, seen)

    def _by_stars(
        self, path: Path, meanings: Meanings, name: str, seen: frozenset[tuple[Path, str]]
    ) -> str | None:
        """What a name stands for that only a star import can bind: the last local module that has it says it."""
        local = self._readable(path)
        for module in reversed(meanings.star_imports):
            if module in local and (found := self._meaning(local[module], name, seen)) is not None:
                return found
        return None

    def _local(self, path: Path) -> dict[str, Path]:
        return self._imports.imports_of(path)

    def _readable(self, path: Path) -> dict[str, Path]:
        """The local modules that a file imports, without those that are no Python."""
        return {dotted: home for dotted, home in self._local(path).items() if home in self._known}

    @cached_property
    def _known(self) -> frozenset[Path]:
        return frozenset(self._paths())

    def _paths(self) -> Iterator[Path]:
        yield from self._files
        yield from self._others

    def all_meanings(self) -> Iterator[Meanings]:
        """The scopes of each module of the program."""
        return map(self._meanings_of, self._paths())

    def _meanings_of(self, path: Path) -> Meanings:
        if path.absolute() in self._files:
            return self._files[path.absolute()].meanings
        return self._other(path).meanings
