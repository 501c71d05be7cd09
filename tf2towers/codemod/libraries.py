"""What other libraries than TensorFlow have renamed or lost since TF1's days (libraries.tsv)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import libcst as cst

from tf2towers.codemod.meanings import Imported
from tf2towers.codemod.nodes import imported, is_name, module_of
from tf2towers.codemod.program import File, cached_per_file
from tf2towers.codemod.symbols import beginnings
from tf2towers.source.python2.tables import read_words


class Changed(NamedTuple):
    """The replacement of a name, a method (`.tostring`, `.iteritems(0)` without arguments), an argument, a call.

    An argument is `json.loads(encoding)`, by place `numpy.vstack(0)`, with its value `builtins.open(mode=rU)`; what is
    taken from the result is `numpy.load(.item)`.

    Attributes:
        kind: 'attribute': another name in the same module. 'builtin': Python's own. 'from': the same name in another
            module. 'module': a module itself. 'runtime': the runtime's. 'renamed': another method or keyword.
            'through': another method, where the result is iterated at once. 'dropped': it had no effect any longer.
            'value': another value. 'list': a generator becomes a list. 'beside': another argument, where it is not
            given. 'places': its number of positional arguments. 'unpacked': its number of results today.
            'property': an attribute, in place of a method that is called without arguments. 'note': a fact for the
            user. 'left': without a certain replacement.
        target: that name, module, number or text; for 'left', what a person would write, where that is known.
        library: what a program imports whose values have such a method; empty where it needs no import. The function
            that it has to call, for 'unpacked'; the release before, for 'places'.
    """

    kind: Literal[
        "attribute", "builtin", "from", "module", "runtime", "renamed", "through", "dropped", "value", "list", "beside",
        "places", "unpacked", "property", "note", "left",
    ]  # fmt: skip
    target: str = ""
    library: str = ""


@cache
def library_changes() -> dict[str, Changed]:
    """Dotted name (`numpy.float`) -> its replacement. A module that is gone has one row, for all that was in it."""
    lines = Path(__file__).with_name("libraries.tsv").read_text(encoding="utf-8").splitlines()
    found = {module: Changed("left") for module in read_words("modules")}
    for line in lines[1:]:
        name, *rest = line.split("\t")
        found[name] = Changed(*rest)  # type: ignore[arg-type]
    return found


@cache
def librosa_arguments() -> dict[str, tuple[str, ...]]:
    """Function of librosa -> its arguments, in the order of librosa 0.9.2; those of 0.11 have the same names."""
    lines = (
        (Path(__file__).parent / "data" / "librosa_arguments.tsv")
        .read_text(encoding="utf-8")
        .splitlines()[1:]
    )
    return {name: tuple(words.split()) for name, words in (line.split("\t") for line in lines)}


@cache
def _kept_by() -> dict[str, str]:
    lines = (Path(__file__).parent / "data" / "requirements.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return dict(line.split("\t") for line in lines)


def requirements_of(name: str) -> list[str]:
    """The lines of a requirements.txt with which a script keeps a name, or a method, that today's libraries lack.

    Each was tried beside the Python and the NumPy that TensorFlow 2.21 takes; none where no such release has it.
    """
    words = (_kept_by().get(part) for part, _ in beginnings(name))
    return next((found.split() for found in words if found), [])


def joined_requirements(lines: Iterable[str]) -> tuple[str, ...]:
    """Lines for one requirements.txt: of a package's releases the oldest, which has what the later ones have."""
    oldest: dict[str, str] = {}
    for line in sorted(lines, key=lambda line: [int(part) for part in re.findall(r"\d+", line)]):
        oldest.setdefault(re.split(r"[=<>]", line)[0], line)
    return tuple(sorted(oldest.values()))


def gone_part(dotted: str) -> str | None:
    """The longest part of a dotted name, from its beginning, that was renamed or lost."""
    return next((name for name, _ in beginnings(dotted) if name in library_changes()), None)


@cache
def last_names() -> frozenset[str]:
    """The last parts of the names in the table: other names need no further look."""
    return frozenset(name.rpartition(".")[2] for name in library_changes())


def library_name(file: File, node: cst.CSTNode) -> str | None:
    """The dotted name of a name or attribute, rooted at its library, also where local modules hand the library on."""
    name = file.canonical(node)
    if name is not None:
        return _follow_import(file, name, frozenset())
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.insert(0, node.attr.value)
        node = node.value
    if not is_name(node) or not file.meanings.star_imports or file.meanings.bindings(node):
        return None
    found = _meaning_by_star(file, node.value, frozenset())
    return ".".join([found, *parts]) if found is not None else None


def names_taken(file: File, library: str) -> Iterator[str]:
    """The names that a file takes from a library: those that it imports, and those that it reads through modules."""
    for statement in file.imports:
        for _, name in imported(statement):
            if name.startswith(f"{library}."):
                yield name
    for made in file.all(cst.ClassDef):
        for base in made.bases:
            name = library_name(file, base.value) or ""
            if name.startswith(f"{library}."):
                yield f"a subclass of {name}"
    for used in (*file.all(cst.Name), *file.all(cst.Attribute)):
        around = file.parent(used)
        if file.is_read(used) and not (isinstance(around, cst.Attribute) and around.value is used):
            name = library_name(file, used) or ""
            if f"{name}.".startswith(f"{library}."):
                yield name


def imported_modules(file: File) -> frozenset[str]:
    """What the program's modules import: libraries (`PIL`), their modules and names (`PIL.ImageFont`)."""
    return _imported_by_program(file.program.main)


@cached_per_file
def _imported_by_program(file: File) -> frozenset[str]:
    return frozenset(
        name
        for each in file.program.all_files
        for node in each.imports
        for _, dotted in imported(node)
        for name, _ in (*beginnings(dotted), *beginnings(module_of(node)))
    )


def _local_file(file: File, dotted: str) -> File | None:
    """The file of the program that a file imports by a name, those without TensorFlow, too."""
    path = file.program.imports.imports_of(file.path).get(dotted)
    if path is None:
        return None
    return next((each for each in file.program.all_files if each.path.absolute() == path), None)


def _follow_import(file: File, name: str, seen: frozenset[tuple[File, str]]) -> str | None:
    for module, rest in beginnings(name):
        if rest and (other := _local_file(file, module)) is not None:
            first, _, more = rest[1:].partition(".")
            found = _meaning_at_top(other, first, seen)
            return None if found is None else f"{found}.{more}" if more else found
    return name


def _meaning_at_top(file: File, name: str, seen: frozenset[tuple[File, str]]) -> str | None:
    """What a name at the top of a module stands for, where an import or a star binds it."""
    if (file, name) in seen:
        return None
    seen |= {(file, name)}
    if bindings := file.meanings.at_top(name):
        found = file.meanings.top_meaning(name)
        if found is not None and found != name:
            return _follow_import(file, found, seen)
        return found if all(isinstance(binding, Imported) for binding in bindings) else None
    return _meaning_by_star(file, name, seen)


def _meaning_by_star(file: File, name: str, seen: frozenset[tuple[File, str]]) -> str | None:
    """What a name stands for that only a star import can bind: the last local module that has it says it."""
    others = (_local_file(file, module) for module in reversed(file.meanings.star_imports))
    found = (_meaning_at_top(other, name, seen) for other in others if other is not None)
    return next((meaning for meaning in found if meaning is not None), None)
