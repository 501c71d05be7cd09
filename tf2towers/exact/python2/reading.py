"""`Reader`: the files of a program as Python 3: those in Python 2 are converted when they are read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tf2towers.exact.known_modules import is_known
from tf2towers.exact.python2.evidence import is_certain
from tf2towers.exact.python2.module_files import is_module
from tf2towers.exact.python2.modules import Module
from tf2towers.source.errors import NotPython3
from tf2towers.source.nodes import imported, module_of
from tf2towers.source.script import Script
from tf2towers.source.syntax import parse

if TYPE_CHECKING:
    from tf2towers.source.local_imports import LocalImports


def read_script(load: Callable[[bool], Script]) -> Script:
    """A main script, converted where it is no Python 3. `load` reads it; its argument says whether it is checked."""
    try:
        return load(True)
    except NotPython3 as problem:
        from tf2towers.exact.python2.convert import converted

        found = converted(load(False))
        if found is None:
            raise problem from None
        return found


def read_notebook(path: str) -> Script:
    """The code cells of a notebook, converted where they are no Python 3, or the notebook says that it is none."""
    script = read_script(lambda checked: Script.from_notebook(path, checked=checked))
    if script.conversion is None and script.notebook is not None and script.notebook.is_python2:
        return _as_python2(script, False)
    return script


class Reader:
    """Reads the modules of one program, each once.

    `whole` says that all of it is Python 2, `prints_are_calls` that it was written for Python 3's `print` all the same.
    """

    def __init__(self, main: Script) -> None:
        self.main = main
        self.whole = False
        self.prints_are_calls = False
        self._read: dict[Path, Script] = {}

    def __call__(self, path: Path) -> Script:
        """The module at a path; SourceError where it cannot be read."""
        if path not in self._read:
            self._read[path] = self._module(path)
        return self._read[path]

    def convert_all(self, *, prints_are_calls: bool = False) -> None:
        """From now on everything is Python 2, what could be read as Python 3, too."""
        self.whole = True
        self.prints_are_calls = prints_are_calls
        self._read.clear()
        if self.main.conversion is None:
            self.main = self._as_python2(self.main, False)

    def _module(self, path: Path) -> Script:
        in_package = (
            path.parent != self.main.path.absolute().parent and (path.parent / "__init__.py").is_file()
        )
        try:
            script = Script.read(path, main=False)
        except NotPython3 as problem:
            from tf2towers.exact.python2.convert import converted

            found = converted(Script.read(path, main=False, checked=False), in_package=in_package)
            if found is None:
                raise problem from None
            return found
        return self._as_python2(script, in_package) if self.whole else script

    def _as_python2(self, script: Script, in_package: bool) -> Script:
        return _as_python2(script, in_package, prints_are_calls=self.prints_are_calls)


def shows_python2(main: Script, imports: LocalImports, read: Reader) -> Literal["text", "names"] | None:
    """What shows that a program runs on Python 2 alone: its script is no Python 3, or a module that it always imports.

    A module of a package that imports its neighbour by the neighbour's bare name is none either: Python 3 would not
    find it. Nor is a program that Python 3 can read, and would stop in (`evidence`).
    """
    if main.conversion is not None:
        return "text"
    pending, seen = [Path(main.path).absolute()], set()
    modules: list[Module] = []
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        try:
            script = main if not seen - {path} else read(path)
        except Exception:  # its own imports cannot be seen
            continue
        if script.conversion is not None:
            return "text"
        found = imports.imports_of(path)
        tree = parse(script.text, path)
        modules.append(Module(tree, found, path))
        if len(seen) > 1 and path.parent != Path(main.path).absolute().parent:
            if _imports_neighbours(tree, path, imports):
                return "text"
        for dotted in _always(tree):
            parts = dotted.split(".")
            for count in range(1, len(parts) + 1):
                target = found.get(".".join(parts[:count]))
                if target is not None:
                    pending.append(target)
    return "names" if modules and is_certain(modules, modules[0]) else None


def _always(tree: ast.Module) -> Iterator[str]:
    """What a module imports whenever it is imported itself: outside functions, conditions and `try`."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            if isinstance(node, ast.ImportFrom):
                yield module_of(node)
            yield from (dotted for _, dotted in imported(node))


def _imports_neighbours(tree: ast.Module, path: Path, imports: LocalImports) -> bool:
    """Whether a module of a package always imports another one of it by a bare name, which nothing else has."""
    if not (path.parent / "__init__.py").is_file():
        return False
    for node in tree.body:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            if node.module == "__future__" and any(alias.name == "absolute_import" for alias in node.names):
                return False
            names = [node.module]
        for name in names:
            root = name.partition(".")[0]
            if is_known(root) or imports.has(path, root):
                continue
            if any(is_module(folder, root) or (folder / root).is_dir() for folder in imports.roots):
                continue  # Python 3 finds that one
            *packages, last = name.split(".")
            folder = path.parent.joinpath(*packages)
            if root != path.stem and is_module(folder, last):
                return True
    return False


def _as_python2(script: Script, in_package: bool, *, prints_are_calls: bool = False) -> Script:
    """A module of a program in Python 2 that Python 3 could read, too; as it is where it is Python 3 alone."""
    from tf2towers.exact.python2.convert import converted

    return converted(script, in_package=in_package, prints_are_calls=prints_are_calls) or script
