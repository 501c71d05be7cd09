"""What other libraries than TensorFlow have renamed or lost since TF1's days (libraries.tsv)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

import libcst as cst

from tf2towers.codemod.nodes import imported, module_of
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.reached import find_unreached_context, note_site
from tf2towers.codemod.symbols import beginnings, read_table
from tf2towers.codemod.tables import library_changes


@cache
def _kept_by() -> dict[str, str]:
    return dict(read_table("data/requirements.tsv"))


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


def note_lost(file: File, node: cst.CSTNode, message: str, instead: str, name: str = "") -> None:
    """Reports what a library has lost; only a note where a release that TensorFlow 2.21 runs with has the name."""
    kept = requirements_of(name)
    ways = [instead] * bool(instead) + [f"keep {' '.join(kept)}"] * bool(kept)
    reached = find_unreached_context(file, node) is None
    advice = f"; instead: {', or '.join(ways)}" if ways else ""
    note_site(file, node, "T2T628", message, advice=advice, kind="note" if kept else "left")
    if reached:
        file.program.requirements.update(kept)


def gone_part(dotted: str) -> str | None:
    """The longest part of a dotted name, from its beginning, that was renamed or lost."""
    return next((name for name, _ in beginnings(dotted) if name in library_changes()), None)


@cache
def last_names() -> frozenset[str]:
    """The last parts of the names in the table: other names need no further look."""
    return frozenset(name.rpartition(".")[2] for name in library_changes())


def library_name(file: File, node: cst.CSTNode) -> str | None:
    """The dotted name of a name or attribute, rooted at its library; None for what a local module defines."""
    name = file.canonical(node)
    return None if name is None or file.program.is_local(file, name) else name


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


@found_once
def _imported_by_program(file: File) -> frozenset[str]:
    return frozenset(
        name
        for each in file.program.all_files
        for node in each.imports
        for _, dotted in imported(node)
        for name, _ in (*beginnings(dotted), *beginnings(module_of(node)))
    )
