"""The local modules a script reaches: what it imports that lies beside it, and what those import in turn.

A module is looked for where Python would look when the script runs: in the script's own directory; for a script that
lies in a package, above the topmost directory of that package; in the folders that the user says are in its PYTHONPATH;
and in folders that a file adds to `sys.path`. Imports inside functions count. The runtime is not part of a program,
wherever it lies.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tf2towers.source.built_modules import BuiltModule, built_module
from tf2towers.source.errors import SourceError
from tf2towers.source.imports_by_text import ImportByText, default_of_flag, imports_by_text
from tf2towers.source.path_additions import path_additions
from tf2towers.source.script import Script
from tf2towers.source.syntax import parse


class LocalImports:
    """The import graph of one script, over local modules alone."""

    def __init__(
        self,
        script: Script,
        read: Callable[[Path], Script] | None = None,
        *,
        deep: bool = True,
        python_path: Sequence[Path] = (),
    ) -> None:
        """Follows the imports.

        Args:
            read: reads a module; without, as the text that it is.
            deep: False: the script's own imports alone.
            python_path: folders that are in the PYTHONPATH of the program.
        """
        self.script = script
        self._deep = deep
        self._read = read or Script.read
        #: the script's path, absolute
        self.main = _absolute(script.path)
        self.roots = list(dict.fromkeys([*_roots(self.main), *map(_absolute, python_path)]))
        self._direct: dict[Path, dict[str, Path]] = {}
        self._files: dict[Path, bool] = {}
        self._trees: dict[Path, ast.Module] = {}
        self._order: list[Path] = []
        #: the folders of sys.path that modules were found in
        self.used_roots: set[Path] = set()
        known = 0
        while known != (known := len(self.roots)):
            self._walk()  # again, where a module adds a folder that those before it import from

    @property
    def modules(self) -> list[Path]:
        """Every local module the script reaches, `__init__.py` of packages included, in the order met."""
        return list(self._order)

    def imports_of(self, path: Path) -> dict[str, Path]:
        """The local modules a file imports, by the dotted name it uses (`data.cifar10`, `.model`).

        The script itself is one of them where a module, or the `__init__.py` of its package, imports it.
        """
        return dict(self._direct.get(_absolute(path), {}))

    def has(self, path: Path, dotted: str) -> bool:
        """Whether the first part of a dotted name is one of the local modules that a file imports, or a package."""
        first = dotted.partition(".")[0]
        return any(module.partition(".")[0] == first for module in self._direct.get(_absolute(path), {}))

    def built(self, path: Path, dotted: str) -> BuiltModule | None:
        """What a module is that a file imports and that is not Python text: compiled, or made of files without TF."""
        name = dotted.lstrip(".")
        for base in self._bases(_absolute(path), len(dotted) - len(name)):
            if (found := built_module(base.joinpath(*name.split(".")))) is not None:
                return found
        return None

    def _walk(self) -> None:
        self._direct, self._order = {}, []
        seen = {self.main}
        self._follow([(self.main, self.script.text)], seen)
        if any(not file.is_relative_to(self.main.parent) for file in self._order):
            # the script runs as a part of its package, which Python then imports too
            own = [file for file in self._packages(self.main) if file not in seen]
            seen.update(own)
            self._order += own
            self._follow([(file, None) for file in own] if self._deep else [], seen)

    def _follow(self, pending: list[tuple[Path, str | None]], seen: set[Path]) -> None:
        """Goes through files, text given or not, and what they import."""
        while pending:
            path, text = pending.pop(0)
            text = self._text_of(path) if text is None else text
            found = dict(self._imported(path, text)) if text is not None else {}
            self._direct[path] = found
            for target in found.values():
                for file in [*self._packages(target), target]:
                    if file not in seen:
                        seen.add(file)
                        self._order.append(file)
                        if self._deep:
                            pending.append((file, None))

    def _imported(self, path: Path, text: str) -> Iterator[tuple[str, Path]]:
        if path not in self._trees:
            self._trees[path] = parse(text, path)
        tree = self._trees[path]
        if "sys.path" in text:
            added = path_additions(tree, path, self.main.parent)
            self.roots += [folder for folder in added if folder not in self.roots]
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from self._found(alias.name, self._bases(path, 0))
            elif isinstance(node, ast.ImportFrom):
                bases = self._bases(path, node.level)
                dots, module = "." * node.level, node.module or ""
                yield from self._found(module, bases, dots)
                for alias in node.names:
                    name = f"{module}.{alias.name}" if module else alias.name
                    target = self._module(name, bases)
                    if target is not None:
                        yield dots + name, target
        for found in imports_by_text(tree, text):
            yield from self.found_by_text(path, found)

    def found_by_text(self, path: Path, found: ImportByText) -> list[tuple[str, Path]]:
        """The local modules that an import by a text in a file may mean, by name."""
        if found.is_path:
            return []
        name = found.start.lstrip(".")
        dots = found.start[: len(found.start) - len(name)]
        bases = self._bases(_absolute(path), len(dots))
        if found.is_written_out:
            return list(self._found(name, bases, dots))
        if not found.start:
            return list(self._beside_default(_absolute(path), found))
        return [(dotted, file) for dotted, file in _below(bases, name, dots) if found.means(dotted)]

    def by_text(self, path: Path) -> list[ImportByText]:
        """The imports by a text in a file of the program."""
        path = _absolute(path)
        text = self.script.text if path == self.main else self._text_of(path)
        return list(imports_by_text(self._trees[path], text)) if text and path in self._trees else []

    def _beside_default(self, path: Path, found: ImportByText) -> Iterator[tuple[str, Path]]:
        """The modules of the package that a flag names a module of by default; of the script's own folder none."""
        default = default_of_flag(self._trees[path], found.named)
        target = self._module(default, self.roots) if default is not None else None
        if default is not None and target is not None and target.parent != self.main.parent:
            package = default.rpartition(".")[0]
            for file in sorted(target.parent.glob("*.py")):
                if file != self.main and file.stem.isidentifier() and file.name != "__init__.py":
                    yield (f"{package}.{file.stem}" if package else file.stem), file

    def _found(self, name: str, bases: list[Path], dots: str = "") -> Iterator[tuple[str, Path]]:
        """A module, or as much of its path as there is: `import a.b` makes `a` and `a.b` run."""
        parts = name.split(".") if name else []
        for count in range(len(parts), 0, -1):
            part = ".".join(parts[:count])
            target = self._module(part, bases)
            if target is not None:
                yield dots + part, target
                return

    def _bases(self, path: Path, level: int) -> list[Path]:
        if level == 0:
            return self.roots
        base = path.parent
        for _ in range(level - 1):
            base = base.parent
        return [base]

    def _module(self, name: str, bases: list[Path]) -> Path | None:
        if name.partition(".")[0] == "tf2towers":
            return None
        for base in bases:
            place = base.joinpath(*name.split("."))
            for file in (place / "__init__.py", place.with_name(f"{place.name}.py")):
                if self._is_file(file):
                    if bases is self.roots:
                        self.used_roots.add(base)
                    return file
        return None

    def _packages(self, target: Path) -> list[Path]:
        """The `__init__.py` files that run before a module does, outermost first."""
        found: list[Path] = []
        package = target.parent if target.name != "__init__.py" else target.parent.parent
        own = target == self.main
        while (own or package not in self.roots) and self._is_file(package / "__init__.py"):
            found.insert(0, package / "__init__.py")
            package = package.parent
        return found

    def _text_of(self, path: Path) -> str | None:
        try:
            return self._read(path).text
        except SourceError:  # its own imports cannot be seen; that it is reached is known
            return None

    def _is_file(self, file: Path) -> bool:
        if file not in self._files:
            self._files[file] = file.is_file()
        return self._files[file]


def _below(bases: list[Path], start: str, dots: str) -> Iterator[tuple[str, Path]]:
    """The modules whose names begin with a text; none where it is empty, for anything may be meant."""
    folder, _, first = start.rpartition(".")
    for base in bases if start or dots else ():
        place = base.joinpath(*folder.split(".")) if folder else base
        for entry in sorted(place.glob(f"{first}*")):
            for file in sorted(entry.rglob("*.py")) if entry.is_dir() else [entry]:
                parts = file.relative_to(base).with_suffix("").parts
                if (
                    file.suffix == ".py"
                    and all(part.isidentifier() for part in parts)
                    and parts[0] != "tf2towers"
                ):
                    yield dots + ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


def program_files(script: Path) -> list[Path]:
    """A script and every local module that it reaches; itself alone where it cannot be read: Python 2, say."""
    try:
        return [script, *LocalImports(Script.read(script)).modules]
    except SourceError:
        return [script]


def _absolute(path: Path) -> Path:
    """An absolute path without `..` in which links are kept, for Python looks beside the link."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def _roots(script: Path) -> list[Path]:
    """The directories absolute imports are looked for in."""
    roots = [script.parent]
    top = script.parent
    while (top / "__init__.py").is_file() and top != top.parent:
        top = top.parent
    if top not in roots:
        roots.append(top)
    return roots
