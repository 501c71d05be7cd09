"""Modules that are not Python text: compiled ones, and what Cython or protoc makes of files beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BuiltModule:
    """A module that is built, or has been."""

    #: the built one, or what it is made of
    file: Path
    #: what makes it; empty where it has been built
    by: str = ""


def built_module(place: Path) -> BuiltModule | None:
    """What makes a module; None where nothing is seen, or where it may have TF1 in it.

    `place` is its path without a suffix. Whatever says TensorFlow in such a file, also in a compiled one, may use it.
    """
    for file in sorted(place.parent.glob(f"{place.name}.*")):  # what is built comes before its source
        if file.suffix in (".so", ".pyd", ".pyx"):
            if b"tensorflow" in file.read_bytes():
                return None
            return BuiltModule(file, "Cython" if file.suffix == ".pyx" else "")
    stem = place.name.removesuffix("_grpc").removesuffix("_pb2")
    if stem != place.name and (proto := place.with_name(f"{stem}.proto")).is_file():
        return None if _imports_tensorflow(proto) else BuiltModule(proto, "protoc")
    return None


def _imports_tensorflow(proto: Path) -> bool:
    """Whether what protoc makes of a file imports something of TensorFlow's."""
    lines = proto.read_text(encoding="utf-8", errors="replace").splitlines()
    return any("tensorflow" in line for line in lines if line.lstrip().startswith("import"))


def is_of_an_old_protoc(module: Path) -> bool:
    """Whether protoc wrote a module before 3.19: protobuf 4 and later want it made again."""
    if not module.name.endswith("_pb2.py"):
        return False
    return "_descriptor.FileDescriptor(" in module.read_text(encoding="utf-8", errors="replace")
