"""Which files of a folder are programs of their own, and which are their modules."""

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
    """What is seen of a file without looking into what it means."""

    path: Path
    has_tensorflow: bool
    #: whether it does something when it is run as a script
    runs: bool
    #: the local modules that it imports
    imports: tuple[Path, ...]


def inspect_file(path: Path, python_path: tuple[Path, ...] = ()) -> Seen:
    """Reads one file, even one that is not valid Python 3."""
    path = path.absolute()
    try:
        text = _text(path)
    except (SourceError, OSError, ValueError, RecursionError, TypeError, AttributeError):  # no notebook, say
        return Seen(path, b"tensorflow" in _read_bytes(path), True, ())
    runs = _GUARD.search(text) is not None
    try:
        parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # Python 2, say: its import lines
        text = "\n".join(line for line in map(_import_line, _IMPORT.findall(text)) if line)
    imports: tuple[Path, ...] = ()
    if "import" in text:
        found = LocalImports(Script(path, text), deep=False, python_path=python_path)
        imports = tuple(found.modules)
    return Seen(path, b"tensorflow" in _read_bytes(path), runs, imports)


def uninspected_file(path: Path) -> Seen:
    """A file that cannot be looked at: the attempt to migrate it will say why."""
    return Seen(path.absolute(), True, True, ())


def find_programs(files: Iterable[Path], each: Callable[[list[Path]], Iterable[Seen]]) -> list[Path]:
    """The files to migrate as main scripts, in the order given: those that reach TensorFlow, however indirectly.

    They are the files that no other one imports, and those that are imported and run as scripts, too.

    Args:
        each: `map(seen, files)`, in as many processes as there are.
    """
    files_seen = {file.path: file for file in each(_near_tensorflow(list(files)))}
    imported = {path for file in files_seen.values() for path in file.imports if path != file.path}
    reached: dict[Path, bool] = {}
    mains = [
        path
        for path, file in files_seen.items()
        if path.name != "__init__.py"
        and (path not in imported or file.runs)
        and _reaches(path, files_seen, reached)
    ]
    covered = {path for main in mains for path in _closure(main, files_seen)}
    for path in files_seen:  # modules that import each other, or that a package alone imports
        if path not in covered and _reaches(path, files_seen, reached):
            mains.append(path)
            covered |= _closure(path, files_seen)
    order = {path: place for place, path in enumerate(files_seen)}
    mains.sort(key=order.__getitem__)
    return mains


def _near_tensorflow(files: list[Path]) -> list[Path]:
    """Those that say `tensorflow`, or the name of one of them: the imports of no others matter."""
    texts = {path: _read_bytes(path) for path in files}
    found = {path for path, text in texts.items() if b"tensorflow" in text}
    words = {path: frozenset(_WORD.findall(text)) for path, text in texts.items()} if found else {}
    new = set(found)
    while new:
        names = {os.fsencode(name) for path in new for name in (path.stem, path.absolute().parent.name)}
        new = {path for path, said in words.items() if path not in found and said & names}
        found |= new
    return [path for path in files if path in found]


def is_migrated(path: Path) -> bool:
    """Whether a program imports the runtime already."""
    return _RUNTIME.search(_read_bytes(path)) is not None


def _closure(path: Path, files_seen: dict[Path, Seen]) -> set[Path]:
    found: set[Path] = set()
    pending = [path]
    while pending:
        file = pending.pop()
        if file not in found:
            found.add(file)
            pending += files_seen[file].imports if file in files_seen else ()
    return found


def _reaches(path: Path, files_seen: dict[Path, Seen], known: dict[Path, bool]) -> bool:
    if path not in known:
        known[path] = any(
            files_seen[file].has_tensorflow for file in _closure(path, files_seen) if file in files_seen
        )
    return known[path]


def _read_bytes(path: Path) -> bytes:
    """What is in a file; nothing where it cannot be read."""
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
    """An import as far as it is one; nothing where it is not."""
    line = re.split("[#;]", line, maxsplit=1)[0].strip().rstrip(",")
    try:
        ast.parse(line)
    except (SyntaxError, ValueError):
        return ""
    return line
