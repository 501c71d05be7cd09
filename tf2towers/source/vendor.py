"""What `--vendor` puts beside the output: the part of our runtime that the migrated files import, and its licence."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from tf2towers.source.syntax import parse

_PACKAGE = Path(__file__).parents[1]
_NAME = "tf2towers"
_NOTE = """tf2towers {version}: the part of its runtime that the migrated scripts beside this folder import.

Licensed under the Apache License, Version 2.0: https://www.apache.org/licenses/LICENSE-2.0
The files are as they were published, so that the scripts need no other package than TensorFlow.
"""


def vendored(texts: Iterable[str]) -> dict[Path, bytes]:
    """The files of the package that these texts need, by their path beside the output."""
    from tf2towers import __version__

    texts = list(texts)
    files = {Path(_NAME) / "NOTICE.txt": _NOTE.format(version=__version__).encode()}
    pending = [module for text in texts for module in _imported(text, Path("script.py"))]
    if not pending:
        return {}
    homes = _homes()
    words = frozenset(word for text in texts for word in re.findall(r"\w+", text))
    seen: set[str] = set()
    while pending:
        dotted = pending.pop()
        for module in _with_packages(dotted, homes):
            path = _file(module)
            if path is None or module in seen:
                continue
            seen.add(module)
            data = path.read_bytes()
            files[Path(_NAME) / path.relative_to(_PACKAGE)] = data
            pending += _imported(data.decode(), path)
            pending += _loaded_later(module, path, data.decode(), words)
            for table in path.parent.glob("*.tsv"):
                files[Path(_NAME) / table.relative_to(_PACKAGE)] = table.read_bytes()
    return files


def _imported(text: str, path: Path) -> Iterator[str]:
    """The dotted names under our package that a text imports, at any depth."""
    for node in ast.walk(parse(text, path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == _NAME)
        elif (
            isinstance(node, ast.ImportFrom)
            and not node.level
            and (node.module or "").partition(".")[0] == _NAME
        ):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _loaded_later(package: str, path: Path, text: str, words: Set[str]) -> Iterator[str]:
    """What a package loads on its first use, as far as these words name it: its modules, or what they define."""
    if path.name != "__init__.py" or package == f"{_NAME}.runtime" or "\ndef __getattr__(" not in text:
        return
    for module in re.findall(r'import_module\("([\w.]+)"\)', text):
        if module.rpartition(".")[2] in words:
            yield module
    for place in path.parent.iterdir():
        if (place / "__init__.py").is_file():
            found = {place.name}
        elif place.suffix == ".py" and place != path:
            found = {place.stem, *_defined(place)}
        else:
            continue
        if found & words:
            yield f"{package}.{place.stem}"


def _defined(path: Path) -> Iterator[str]:
    """The names at the top of a module."""
    for node in parse(path.read_text(encoding="utf-8"), path).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _with_packages(dotted: str, homes: dict[str, str]) -> Iterator[str]:
    """A module, the packages around it, and the home of a name that the runtime gives on its first use."""
    parts = dotted.split(".")
    yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    if parts[:2] == [_NAME, "runtime"] and len(parts) == 3 and parts[2] in homes:
        yield from _with_packages(f"{_NAME}.runtime.{homes[parts[2]]}", {})


def _homes() -> dict[str, str]:
    """The runtime's table of names and the modules that they are in."""
    path = _PACKAGE / "runtime" / "__init__.py"
    for node in parse(path.read_text(encoding="utf-8"), path).body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == "_HOMES"
        ):
            found: dict[str, str] = ast.literal_eval(node.value)
            return found
    return {}


def _file(module: str) -> Path | None:
    place = _PACKAGE.joinpath(*module.split(".")[1:])
    for path in (place / "__init__.py", place.with_name(f"{place.name}.py")):
        if path.is_file():
            return path
    return None
