"""Finds the files of a folder that are main programs; the others are their modules."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tf2towers.source.errors import SourceError
from tf2towers.source.local_imports import LocalImports
from tf2towers.source.script import Script
from tf2towers.source.syntax import parse

_IMPORT = re.compile(
    r"^[ \t]*(import[ \t]+[\w., \t]+|from[ \t]+[\w.]+[ \t]+import[ \t]+[^\\\n(]+)", re.MULTILINE
)
_RUNTIME = re.compile(rb"^from tf2towers\.runtime import ", re.MULTILINE)
_WORD = re.compile(rb"\w+")
_GUARD = re.compile(r"__name__\s*==|(tf|flags|app|absl)[\w.]*\.run\(")


@dataclass(frozen=True)
class Seen:
    """The facts that a quick look at a file shows."""

    path: Path
    has_tensorflow: bool
    #: whether the file does something when it is run as a script
    runs: bool
    #: the local modules that the file imports
    imports: tuple[Path, ...]


def inspect_file(path: Path, python_path: tuple[Path, ...] = ()) -> Seen:
    """Reads one file, which need not be valid Python 3."""
    path = path.absolute()
    try:
        text = _text(path)
    except (SourceError, OSError, ValueError, RecursionError, TypeError, AttributeError):  # no notebook
        return Seen(path, b"tensorflow" in _read_bytes(path), True, ())
    runs = _GUARD.search(text) is not None
    try:
        parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # e.g. Python 2: only its import lines
        text = "\n".join(line for line in map(_import_line, _IMPORT.findall(text)) if line)
    imports: tuple[Path, ...] = ()
    if "import" in text:
        found = LocalImports(Script(path, text), deep=False, python_path=python_path)
        imports = tuple(found.modules)
    return Seen(path, b"tensorflow" in _read_bytes(path), runs, imports)


def uninspected_file(path: Path) -> Seen:
    """The result for a file that cannot be inspected: the attempt to migrate it will report why."""
    return Seen(path.absolute(), True, True, ())


def find_programs(files: Iterable[Path], each: Callable[[list[Path]], Iterable[Seen]]) -> list[Path]:
    """The files to migrate as main scripts, in order: those that reach TensorFlow.

    These are files that no other file imports, and imported files that are also run as scripts.

    Args:
        each: inspects files, as `map(inspect_file, files)` would, possibly in several processes.
    """
    files_seen = {file.path: file for file in each(_near_tensorflow(list(files)))}
    imported = {path for file in files_seen.values() for path in file.imports if path != file.path}
    closures = {path: _closure(path, files_seen) for path in files_seen}
    near = {
        path for path, reached in closures.items() if any(files_seen[file].has_tensorflow for file in reached)
    }
    mains = [
        path
        for path, file in files_seen.items()
        if path.name != "__init__.py" and (path not in imported or file.runs) and path in near
    ]
    covered = {path for main in mains for path in closures[main]}
    for path in files_seen:  # modules that import each other, or that only a package imports
        if path not in covered and path in near:
            mains.append(path)
            covered |= closures[path]
    order = {path: place for place, path in enumerate(files_seen)}
    mains.sort(key=order.__getitem__)
    return mains


def _near_tensorflow(files: list[Path]) -> list[Path]:
    """The files that contain `tensorflow`, or the name of such a file."""
    texts = {path: _read_bytes(path) for path in files}
    found = {path for path, text in texts.items() if b"tensorflow" in text}
    words = {path: frozenset(_WORD.findall(text)) for path, text in texts.items()} if found else {}
    new = set(found)
    while new:
        names = {os.fsencode(name) for path in new for name in (path.stem, path.absolute().parent.name)}
        new = {path for path, of_file in words.items() if path not in found and of_file & names}
        found |= new
    return [path for path in files if path in found]


def is_migrated(path: Path) -> bool:
    """True if a program imports the runtime already."""
    return _RUNTIME.search(_read_bytes(path)) is not None


def _closure(path: Path, files_seen: dict[Path, Seen]) -> set[Path]:
    """The files seen that a file imports, directly or not, and the file itself."""
    found: set[Path] = set()
    pending = [path]
    while pending:
        file = pending.pop()
        if file not in found and file in files_seen:
            found.add(file)
            pending += files_seen[file].imports
    return found


def _read_bytes(path: Path) -> bytes:
    """The bytes of a file; none if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _text(path: Path) -> str:
    if path.suffix == ".ipynb":
        document = json.loads(path.read_bytes())
        cells = document.get("cells", []) if isinstance(document, dict) else []
        sources = ["".join(cell.get("source", "")) for cell in cells if cell.get("cell_type") == "code"]
        return "\n".join(sources)
    return Script.read(path, checked=False).text


def _import_line(line: str) -> str:
    """The import statement in a line, without comments and the like; empty if it is not valid."""
    line = re.split("[#;]", line, maxsplit=1)[0].strip().rstrip(",")
    try:
        ast.parse(line)
    except (SyntaxError, ValueError):
        return ""
    return line
