"""The files that `--vendor` copies: what is imported of the runtime, and its licence.

The libraries that this part needs are not copied, but listed as lines of a requirements.txt.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from tf2towers.source.ast_nodes import imported
from tf2towers.source.syntax import parse

_PACKAGE = Path(__file__).parents[1]
_NAME = "tf2towers"
_NOTE = """tf2towers {version}: the part of its runtime that the migrated scripts beside this folder import.

Licensed under the Apache License, Version 2.0: https://www.apache.org/licenses/LICENSE-2.0
The files are unchanged. They and the scripts need these libraries (lines of a requirements.txt):

{requirements}
"""

#: a package that the runtime imports -> its line of a requirements.txt
_REQUIREMENTS = {
    "numpy": "numpy<2.4",
    "tensorflow": "tensorflow>=2.15,<2.22",
    "tf_keras": "tf_keras>=2.15,<2.22  # of the same release as TensorFlow: tf_keras==2.21.* with tensorflow==2.21.*",
    "tf_slim": "tf_slim>=1.1",
    "tensorflow_estimator": "tensorflow-estimator==2.15.0",
    "tensorflow_probability": "tensorflow-probability>=0.25",
    "PIL": "pillow",
    "scipy": "scipy",
}


def vendored_files(texts: Iterable[str]) -> dict[Path, bytes]:
    """Path beside the output -> contents, for the files of this package that the texts import."""
    from tf2towers import __version__

    texts = list(texts)
    files: dict[Path, bytes] = {}
    pending = [name for text in texts for name in _imports(text)]
    homes = _runtime_homes()
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
            pending += _imports(data.decode())
            for table in path.parent.glob("*.tsv"):
                files[Path(_NAME) / table.relative_to(_PACKAGE)] = table.read_bytes()
    if not files:
        return {}
    lines = "\n".join(requirement_lines(texts, files))
    files[Path(_NAME) / "NOTICE.txt"] = _NOTE.format(version=__version__, requirements=lines).encode()
    return files


def requirement_lines(texts: Iterable[str], files: dict[Path, bytes]) -> list[str]:
    """Other packages that migrated texts and copied files import: lines of a requirements.txt.

    tf_slim and TensorFlow Probability import tf_keras, but do not require it.
    """
    modules = (data.decode() for path, data in files.items() if path.suffix == ".py")
    roots = {name.partition(".")[0] for text in [*texts, *modules] for name in _imports(text)}
    if roots & {"tf_slim", "tensorflow_probability"}:
        roots.add("tf_keras")
    if "tf_keras" in roots:
        roots.add("tensorflow")
    return [line for package, line in _REQUIREMENTS.items() if package in roots]


def _imports(text: str) -> Iterator[str]:
    """The dotted names that a text imports, at any depth."""
    for node in ast.walk(parse(text, Path("script.py"))):
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level):
            yield from (dotted for _, dotted in imported(node))


def _with_packages(dotted: str, homes: dict[str, str]) -> Iterator[str]:
    """A module of tf2towers, the packages around it, and that of a lazy name."""
    parts = dotted.split(".")
    if parts[0] != _NAME:
        return
    yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))
    if parts[:2] == [_NAME, "runtime"] and len(parts) == 3 and parts[2] in homes:
        yield from _with_packages(f"{_NAME}.runtime.{homes[parts[2]]}", {})


def _runtime_homes() -> dict[str, str]:
    """The runtime's table: public name -> module."""
    path = _PACKAGE / "runtime" / "__init__.py"
    for node in parse(path.read_text(encoding="utf-8"), path).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="_HOMES")], value=table):
                return dict(ast.literal_eval(table))
    return {}


def _file(module: str) -> Path | None:
    place = _PACKAGE.joinpath(*module.split(".")[1:])
    for path in (place / "__init__.py", place.with_name(f"{place.name}.py")):
        if path.is_file():
            return path
    return None
