"""Modules that are not Python text: compiled ones, and those of Cython or protoc."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

#: `Extension("package.name", ["name.pyx", ...` in a setup.py
_EXTENSION = re.compile(
    r"""\bExtension\(\s*(?:name\s*=\s*)?["']([\w.]+)["']\s*,\s*(?:sources\s*=\s*)?\[([^\]]*)\]"""
)
_COMMENTED_OUT = re.compile(r"^\s*#.*$", re.MULTILINE)
#: so many folders are searched upwards for the setup.py of a module
_LEVELS = 4


@dataclass(frozen=True)
class BuiltModule:
    """A module that a tool builds, or has built."""

    #: the built module, or the file that it is built from
    file: Path
    #: the tool that builds it; empty if it has been built
    by: str = ""
    #: what else it is built from
    beside: tuple[Path, ...] = ()


def built_module(place: Path) -> BuiltModule | None:
    """Finds the built module at a path without a suffix; None without one, or if it may use TF1.

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
    return _by_setup(place)


def _by_setup(place: Path) -> BuiltModule | None:
    """The source from which a setup.py in the module's folder, or in one above, builds it."""
    for folder in (*place.parents,)[:_LEVELS]:
        if not (setup := folder / "setup.py").is_file():
            continue
        text = _COMMENTED_OUT.sub("", setup.read_text(encoding="utf-8", errors="replace"))
        for name, listed in _EXTENSION.findall(text):
            sources = [folder / each for each in re.findall(r"""["']([^"']+)["']""", listed)]
            if folder.joinpath(*name.split(".")) == place and sources and all(map(Path.is_file, sources)):
                uses_tensorflow = any(b"tensorflow" in source.read_bytes() for source in sources)
                return None if uses_tensorflow else BuiltModule(sources[0], "setup.py", (setup, *sources[1:]))
    return None


def _imports_tensorflow(proto: Path) -> bool:
    """True if the module that protoc makes of a file imports TensorFlow."""
    lines = proto.read_text(encoding="utf-8", errors="replace").splitlines()
    return any("tensorflow" in line for line in lines if line.lstrip().startswith("import"))


def is_of_an_old_protoc(module: Path) -> bool:
    """True if a protoc before 3.19 wrote a module, which protobuf 4 needs generated again."""
    if not module.name.endswith("_pb2.py"):
        return False
    return "_descriptor.FileDescriptor(" in module.read_text(encoding="utf-8", errors="replace")
