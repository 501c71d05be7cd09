"""Modules that are not Python text: compiled ones, and what Cython, a setup.py or protoc makes of files beside them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path

from tf2towers.source.errors import SourceError
from tf2towers.source.nodes import last_name
from tf2towers.source.script import Script
from tf2towers.source.syntax import parse

#: how Cython imports NumPy
_IMPORT = re.compile(r"^\s*c?import\s+numpy(?:\s+as\s+(\w+))?\s*$")
_SOURCES = (".pyx", ".c", ".cc", ".cpp", ".cxx", ".cu")


@dataclass(frozen=True)
class BuiltModule:
    """A module that is built, or has been."""

    #: the built one, or what it is made of, and the setup.py that says so
    files: tuple[Path, ...]
    #: what makes it; empty where it has been built
    by: str = ""

    @property
    def made_of(self) -> str:
        """The names of the files."""
        return ", ".join(file.name for file in self.files)


def built_module(place: Path, top: Path) -> BuiltModule | None:
    """What makes a module; None where nothing is seen, or where it may have TF1 in it.

    `place` is its path without a suffix, `top` the folder of sys.path that it is in, up to which a setup.py counts.
    Whatever says TensorFlow in such a file, also in a compiled one, may use it.
    """
    for file in sorted(place.parent.glob(f"{place.name}.*")):  # what is built comes before its source
        if file.suffix in (".so", ".pyd", ".pyx"):
            if b"tensorflow" in file.read_bytes():
                return None
            return BuiltModule((file,), "Cython" if file.suffix == ".pyx" else "")
    stem = place.name.removesuffix("_grpc").removesuffix("_pb2")
    if stem != place.name and (proto := place.with_name(f"{stem}.proto")).is_file():
        return None if _imports_tensorflow(proto) else BuiltModule((proto,), "protoc")
    folder = place.parent
    while folder.is_relative_to(top):
        if (setup := folder / "setup.py").is_file():
            for name, sources in _extensions(setup):
                if folder.joinpath(*name.split(".")) == place:
                    files = tuple(folder / source for source in sources)
                    return BuiltModule((*files, setup), "setup.py") if _say_no_tensorflow(files) else None
        folder = folder.parent
    return None


def _imports_tensorflow(proto: Path) -> bool:
    """Whether what protoc makes of a file imports something of TensorFlow's."""
    lines = proto.read_text(encoding="utf-8", errors="replace").splitlines()
    return any("tensorflow" in line for line in lines if line.lstrip().startswith("import"))


def _say_no_tensorflow(files: tuple[Path, ...]) -> bool:
    return bool(files) and all(
        file.suffix in _SOURCES and file.is_file() and b"tensorflow" not in file.read_bytes()
        for file in files
    )


def _extensions(setup: Path) -> Iterator[tuple[str, list[str]]]:
    """The name and the sources of each `Extension('name', ['source.pyx'])` of a setup.py."""
    try:
        tree = parse(Script.read(setup, checked=False).text, setup)
    except (SourceError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and last_name(node.func) == "Extension":
            given = dict(zip(("name", "sources"), node.args, strict=False))
            given.update({keyword.arg: keyword.value for keyword in node.keywords if keyword.arg})
            name, sources = given.get("name"), given.get("sources")
            if isinstance(name, ast.Constant) and isinstance(sources, ast.List | ast.Tuple):
                texts = [source.value for source in sources.elts if isinstance(source, ast.Constant)]
                if len(texts) == len(sources.elts) and all(
                    isinstance(text, str) for text in (name.value, *texts)
                ):
                    yield str(name.value), [str(text) for text in texts]


def is_of_an_old_protoc(module: Path) -> bool:
    """Whether protoc wrote a module before 3.19: protobuf 4 and later want it made again."""
    if not module.name.endswith("_pb2.py"):
        return False
    return "_descriptor.FileDescriptor(" in module.read_text(encoding="utf-8", errors="replace")


def gone_in_cython(text: str, gone: Set[str]) -> Iterator[tuple[str, int]]:
    """Each name of NumPy that is gone (`numpy.float`, not `np.float_t`) in a text, with the line that has it first."""
    lines = [line.partition("#")[0] for line in text.splitlines()]
    names = {found[1] or "numpy" for line in lines if (found := _IMPORT.match(line))}
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        for module, attribute in re.findall(r"(?<![\w.])(\w+)\s*\.\s*(\w+)", line):
            name = f"numpy.{attribute}"
            if module in names and name in gone - seen:
                seen.add(name)
                yield name, number
