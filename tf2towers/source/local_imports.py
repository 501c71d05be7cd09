"""Finds the local modules that a script imports, directly or through other local modules.

A module is searched for where Python would search when the script runs: in the script's own
directory; for a script in a package, in the directory above the package; in what the setup.py of
its project installs; in the folders that the user names as its PYTHONPATH; and in folders that a
file adds to `sys.path`. A dotted name that is in none of them is looked for in the folders above
the script. Imports inside functions are included. The module tf2towers is not part of a program,
wherever it is found.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from tf2towers.source.built_modules import BuiltModule, built_module
from tf2towers.source.errors import SourceError
from tf2towers.source.imports_by_text import ImportByText, default_of_flag, imports_by_text
from tf2towers.source.known_modules import is_known
from tf2towers.source.path_additions import path_adders, path_additions
from tf2towers.source.recent import Recent
from tf2towers.source.script import Script
from tf2towers.source.syntax import parse

#: how far above the script its project's folder may be
_ABOVE = 4
#: and the folder of the package that the script is in, or that is in the PYTHONPATH
_FAR_ABOVE = 7


class LocalImports:
    """The import graph of one script, with local modules only."""

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
            read: reads a module; by default `Script.read`.
            deep: whether to follow the imports of modules, too; if not, only the script's own
                imports.
            python_path: the folders in the program's PYTHONPATH.
        """
        self.script = script
        self._deep = deep
        self._read = read or Script.read
        #: the absolute path of the script
        self.main = _absolute(script.path)
        self.roots = list(dict.fromkeys([*_roots(self.main), *map(_absolute, python_path)]))
        self._direct: dict[Path, dict[str, Path]] = {}
        self._files: dict[Path, bool] = {}
        self._trees: dict[Path, ast.Module] = {}
        self._order: list[Path] = []
        #: the folders of sys.path in which modules were found
        self.used_roots: set[Path] = set()
        #: folders above the script in which modules were found that are nowhere else
        self.roots_above: set[Path] = set()
        #: functions of the program that add a folder to sys.path
        self._adders: set[str] = set()
        known = (0, 0)
        while known != (known := (len(self.roots), len(self._adders))):
            self._walk()  # again, if a module adds a folder that earlier modules import from

    @property
    def modules(self) -> list[Path]:
        """All local modules of the script, with packages' `__init__.py`, as they were found."""
        return list(self._order)

    def imports_of(self, path: Path) -> Mapping[str, Path]:
        """Dotted name as written in a file's import (`data.cifar10`, `.model`) -> the local module.

        The script itself is included if a module, or the `__init__.py` of its package, imports it.
        """
        found = self._direct.get(path)
        return found if found is not None else self._direct.get(_absolute(path), {})

    def has(self, path: Path, dotted: str) -> bool:
        """True if the first part of a dotted name is a local module that a file imports."""
        first = dotted.partition(".")[0]
        return any(module.partition(".")[0] == first for module in self.imports_of(path))

    def built(self, path: Path, dotted: str) -> BuiltModule | None:
        """The compiled or generated module of a name; None without one, or if it may use TF1."""
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
            # the script runs as a part of its package, which Python then imports, too
            own = [file for file in self._packages(self.main) if file not in seen]
            seen.update(own)
            self._order += own
            self._follow([(file, None) for file in own] if self._deep else [], seen)

    def _follow(self, pending: list[tuple[Path, str | None]], seen: set[Path]) -> None:
        """Follows the imports of files; a file's text is read if it is not given."""
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
            self._adders |= path_adders(tree)
        if "sys.path" in text or any(adder in text for adder in self._adders):
            added = path_additions(tree, path, self.main.parent, self._adders)
            self.roots += [folder for folder in added if folder not in self.roots]
        for node in _imports_in(tree, path, text):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from self._found(alias.name, self._bases(path, 0))
            else:
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
        """The local modules, with their names, that an import by a string in a file may name."""
        if found.is_path:
            return list(self._by_path(_absolute(path), found))
        if found.choices:
            own = [
                each
                for each in found.choices
                if each.startswith("tensorflow") or not is_known(each.partition(".")[0])
            ]
            each = [list(self._found(choice, self.roots)) for choice in own]
            return [pair for pairs in each for pair in pairs] if all(each) else []
        name = found.start.lstrip(".")
        dots = found.start[: len(found.start) - len(name)]
        bases = self._bases(_absolute(path), len(dots))
        if found.is_written_out:
            return list(self._found(name, bases, dots))
        if not found.start:
            return list(self._beside_default(_absolute(path), found))
        return [(dotted, file) for dotted, file in _below(bases, name, dots) if found.means(dotted)]

    def by_text(self, path: Path) -> list[ImportByText]:
        """The imports by a string in a file of the program."""
        path = _absolute(path)
        text = self.script.text if path == self.main else self._text_of(path)
        return list(imports_by_text(self._trees[path], text)) if text and path in self._trees else []

    def _by_path(self, path: Path, found: ImportByText) -> Iterator[tuple[str, Path]]:
        """The files that a path may name, from the start's folder, or one above the script."""
        texts = list(found.choices)
        if not texts and found.is_written_out:
            texts = [found.start]
        if not texts and not found.start and (default := default_of_flag(self._trees[path], found.named)):
            texts = [str(Path(default).parent / "*.py")]  # any file beside the flag's default
        if not texts and found.start and "/" in found.start:
            texts = [found.shown if found.shown.endswith(".py") else ""]
        for text in filter(None, texts):
            for home in [self.main.parent, *self.main.parents[1:_ABOVE]]:
                files = [
                    file for file in sorted(home.glob(text)) if file.suffix == ".py" and file != self.main
                ]
                if files:
                    yield from ((os.path.relpath(file, self.main.parent), file) for file in files)
                    break

    def _beside_default(self, path: Path, found: ImportByText) -> Iterator[tuple[str, Path]]:
        """The modules in the package of a flag's default module; none if in the script's folder."""
        default = default_of_flag(self._trees[path], found.named)
        target = self._module(default, self.roots) if default is not None else None
        if default is not None and target is not None and target.parent != self.main.parent:
            package = default.rpartition(".")[0]
            for file in sorted(target.parent.glob("*.py")):
                if file != self.main and file.stem.isidentifier() and file.name != "__init__.py":
                    yield (f"{package}.{file.stem}" if package else file.stem), file

    def _found(self, name: str, bases: list[Path], dots: str = "") -> Iterator[tuple[str, Path]]:
        """A module, or the longest part of its name that exists: `import a.b` runs both."""
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
        return self._in_project(name) if bases is self.roots else None

    def _in_project(self, name: str) -> Path | None:
        """A module of a package above the script, as by `python -m scripts.train` or PYTHONPATH."""
        first, _, rest = name.partition(".")
        for folder in self.main.parents[:_FAR_ABOVE] if rest and not is_known(first) else ():
            if len(folder.parts) > 2 and folder not in self.roots:
                place = folder.joinpath(*name.split("."))
                if any(map(self._is_file, (place / "__init__.py", place.with_name(f"{place.name}.py")))):
                    self.roots.append(folder)
                    self.roots_above.add(folder)
                    return self._module(name, self.roots)
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
        except SourceError:  # the module is known to be imported, but its own imports are not
            return None

    def _is_file(self, file: Path) -> bool:
        if file not in self._files:
            self._files[file] = file.is_file()
        return self._files[file]


def _below(bases: list[Path], start: str, dots: str) -> Iterator[tuple[str, Path]]:
    """The modules whose names begin with a string; none if it is empty, for all names do."""
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
    """A script and all its local modules; only the script if it cannot be parsed."""
    try:
        read = Script.from_notebook if script.suffix == ".ipynb" else Script.read
        return [script, *LocalImports(read(script)).modules]
    except SourceError:
        return [script]


def _absolute(path: Path) -> Path:
    """An absolute path without `..`, with links kept: Python looks in the link's folder."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def _roots(script: Path) -> list[Path]:
    """The directories in which absolute imports are searched for."""
    roots = [script.parent]
    top = script.parent
    while (top / "__init__.py").is_file() and top != top.parent:
        top = top.parent
    if top not in roots:
        roots.append(top)
    return [*roots, *(folder for folder in _installed(script) if folder not in roots)]


def _installed(script: Path) -> Iterator[Path]:
    """The folders whose packages the project installs: that of its setup.py, or those it names."""
    for folder in script.parents[:_ABOVE]:
        setup = folder / "setup.py"
        if setup.is_file():
            text = setup.read_text("utf-8", "replace")
            moved = re.search(r"package_dir\s*=\s*\{\s*['\"]{2}\s*:\s*['\"]([\w./]+)['\"]", text)
            yield folder if moved is None else folder / moved[1]
            return


#: the imports in each text, for a walk over its tree takes long
_imports: Recent[list[ast.Import | ast.ImportFrom]] = Recent()


def _imports_in(tree: ast.Module, path: Path, text: str) -> list[ast.Import | ast.ImportFrom]:
    known = _imports.get((path, text))
    if known is None:
        found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        known = _imports.keep((path, text), found, len(text))
    return known
