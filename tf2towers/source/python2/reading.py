"""`Reader`: reads the files of a program as Python 3; files in Python 2 are converted."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tf2towers.source.ast_nodes import imported, module_of
from tf2towers.source.conversion import Conversion, Step
from tf2towers.source.errors import NotPython3, SourceError
from tf2towers.source.known_modules import is_known
from tf2towers.source.recent import Recent
from tf2towers.source.script import Script
from tf2towers.source.syntax import check_readable, parse

if TYPE_CHECKING:
    from tf2towers.source.local_imports import LocalImports
    from tf2towers.source.python2.reached import Module


def convert_script(
    script: Script, *, in_package: bool = False, prints_are_calls: bool = False
) -> Script | None:
    """Converts a script to Python 3; None if it is not Python 2 either, or cannot be converted.

    Raises SourceError if Python 3's compiler refuses a text that Python 2 accepts. A text that is
    also valid Python 3 is treated as Python 2, as a module of a program in Python 2.
    """
    if script.notebook is not None:
        return _converted(script, in_package, prints_are_calls)
    key = (script, in_package, prints_are_calls)
    if (known := _conversions.get(key)) is None:
        known = _conversions.keep(key, (_converted(script, in_package, prints_are_calls),), len(script.text))
    return known[0]


#: the results of `convert_script`
_conversions: Recent[tuple[Script | None]] = Recent()


def _converted(script: Script, in_package: bool, prints_are_calls: bool) -> Script | None:
    import libcst as cst

    from tf2towers.source.python2 import grammar
    from tf2towers.source.python2.meaning import Meaning

    before = script.text
    crlf = "\r\n" in before and before.count("\r\n") == before.count("\n")
    text = before.replace("\r\n", "\n") if crlf else before
    steps: list[Step] = []
    try:
        if "\t" in text and not _is_python3(text, script.path):
            text, tabs = grammar.expanded_tabs(text)
            steps += [Step("tabs in the indentation", line) for line in tabs]
        text, found, bound = grammar.convert_syntax(
            text, str(script.path), in_package=in_package, prints_are_calls=prints_are_calls
        )
        middle = Conversion(before.replace("\r\n", "\n"), text)
        meaning = Meaning(text, bound)
        after = meaning.converted()
    except (grammar.NotPython2, SyntaxError, ValueError, cst.ParserSyntaxError):
        return None
    after = after.replace("\n", "\r\n") if crlf else after
    try:
        check_readable(after, script.path)
    except NotPython3:
        return None
    steps += found
    steps += [replace(step, line=middle.line_before(step.line)) for step in meaning.steps]
    steps.sort(key=lambda step: step.line)
    left = tuple(replace(step, line=middle.line_before(step.line)) for step in meaning.left)
    if after == before and not left:
        return script
    return replace(script, text=after, conversion=Conversion(before, after, tuple(steps), left))


def _is_python3(text: str, path: Path) -> bool:
    try:
        check_readable(text, path)
    except SourceError:
        return False
    return True


def read_script(load: Callable[[bool], Script], *, in_package: bool = False) -> Script:
    """Reads a script, and converts Python 2; `load`'s argument is whether to check it."""
    try:
        return load(True)
    except NotPython3 as problem:
        found = convert_script(load(False), in_package=in_package)
        if found is None:
            raise problem from None
        return found


def read_notebook(path: str) -> Script:
    """Reads a notebook's code cells; converts Python 2, by their text or as the notebook says."""
    script = read_script(lambda checked: Script.from_notebook(path, checked=checked))
    if script.conversion is None and script.notebook is not None and script.notebook.is_python2:
        return convert_script(script) or script
    return script


class Reader:
    """Reads the modules of one program, each once.

    Attributes:
        whole: whether the whole program is Python 2.
        prints_are_calls: whether a Python 2 program was nevertheless written for Python 3's
            `print`.
    """

    def __init__(self, main: Script) -> None:
        self.main = main
        self.whole = False
        self.prints_are_calls = False
        self._read: dict[Path, Script] = {}

    def __call__(self, path: Path) -> Script:
        """Reads the module at a path; raises SourceError if that fails."""
        if path not in self._read:
            beside = path.parent == self.main.path.absolute().parent
            in_package = not beside and (path.parent / "__init__.py").is_file()
            script = read_script(lambda checked: Script.read(path, checked=checked), in_package=in_package)
            if self.whole and script.conversion is None:
                script = self._as_python2(script, in_package)
            self._read[path] = script
        return self._read[path]

    def convert_all(self, *, prints_are_calls: bool = False) -> None:
        """Treats the whole program as Python 2 from now on, also what is valid Python 3."""
        self.whole = True
        self.prints_are_calls = prints_are_calls
        self._read.clear()
        if self.main.conversion is None:
            self.main = self._as_python2(self.main, False)

    def _as_python2(self, script: Script, in_package: bool) -> Script:
        """Converts a module that is also valid Python 3; unchanged if it is Python 3 only."""
        return convert_script(script, in_package=in_package, prints_are_calls=self.prints_are_calls) or script


def shows_python2(main: Script, imports: LocalImports, read: Reader) -> Literal["text", "names"] | None:
    """The evidence that a program runs on Python 2 only; None if there is none.

    "text": the script, or a module that it always imports, is not valid Python 3. A module that
    imports a neighbour in its package by the bare name counts, too: Python 3 would not find it.
    "names": Python 3 would fail (`evidence`).
    """
    from tf2towers.source.python2.evidence import is_certain
    from tf2towers.source.python2.reached import Module

    start = Path(main.path).absolute()
    pending, seen = [start], set()
    modules: list[Module] = []
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        try:
            script = main if path == start else read(path)
        except Exception:  # the module's imports are unknown
            continue
        if script.conversion is not None:
            return "text"
        found = imports.imports_of(path)
        tree = parse(script.text, path)
        modules.append(Module(tree, found, path))
        if path.parent != start.parent and _imports_neighbours(tree, path, imports):
            return "text"
        for dotted in _unconditional_imports(tree):
            parts = dotted.split(".")
            ways = (found.get(".".join(parts[:count])) for count in range(1, len(parts) + 1))
            pending += [way for way in ways if way is not None]
    return "names" if modules and is_certain(modules, modules[0]) else None


def _unconditional_imports(tree: ast.Module) -> Iterator[str]:
    """The imports that always run with a module: those outside functions, conditions and `try`."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            yield module_of(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (dotted for _, dotted in imported(node))


def _imports_neighbours(tree: ast.Module, path: Path, imports: LocalImports) -> bool:
    """True if a module always imports one of its package by a bare name that nothing else has."""
    from tf2towers.source.python2.grammar import is_module

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
            *packages, last = name.split(".")
            root = [*packages, last][0]
            elsewhere = is_known(root) or imports.has(path, root) or root == path.stem
            if elsewhere or any(is_module(each, root) or (each / root).is_dir() for each in imports.roots):
                continue  # Python 3 finds another module of this name
            if is_module(path.parent.joinpath(*packages), last):
                return True
    return False
