"""Modules that are not Python text: compiled modules, and modules that Cython or protoc makes of other files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BuiltModule:
    """A module that a tool builds, or has built."""

    #: the built module, or the file that it is built from
    file: Path
    #: the tool that builds it; empty if it has been built
    by: str = ""


def built_module(place: Path) -> BuiltModule | None:
    """Finds the built module at a path without a suffix; None if there is none, or if it may use TF1.

    A file that contains the word `tensorflow`, even a compiled one, may use TF1.
    """
    for file in sorted(place.parent.glob(f"{place.name}.*")):  # a built module sorts before its source
        if file.suffix in (".so", ".pyd", ".pyx"):
            if b"tensorflow" in file.read_bytes():
                return None
            return BuiltModule(file, "Cython" if file.suffix == ".pyx" else "")
    stem = place.name.removesuffix("_grpc").removesuffix("_pb2")
    if stem != place.name and (proto := place.with_name(f"{stem}.proto")).is_file():
        return None if _imports_tensorflow(proto) else BuiltModule(proto, "protoc")
    return None


def _imports_tensorflow(proto: Path) -> bool:
    """True if the module that protoc makes of a file imports TensorFlow."""
    lines = proto.read_text(encoding="utf-8", errors="replace").splitlines()
    return any("tensorflow" in line for line in lines if line.lstrip().startswith("import"))


def is_of_an_old_protoc(module: Path) -> bool:
    """True if a protoc before 3.19 wrote a module: with protobuf 4 and later it must be generated again."""
    if not module.name.endswith("_pb2.py"):
        return False
    return "_descriptor.FileDescriptor(" in module.read_text(encoding="utf-8", errors="replace")
