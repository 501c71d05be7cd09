"""Names of a module that other modules of the program take from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from tf2towers.codemod.nodes import imported, literal, module_of

if TYPE_CHECKING:
    from tf2towers.codemod.file import File


def is_taken(file: File, name: str, seen: frozenset[File] = frozenset()) -> bool:
    """Whether another module of the program may take a name that a file binds from there.

    It does by `from file import name`, by `file.name`, by a star, or where it hands the module on, whose attributes are
    then taken where nobody sees it. What its own import binds under that name is not a use of this one.
    """
    return any(
        _takes(other, file, name, seen | {file})
        for other in file.program.all_files
        if other not in seen | {file}
        and file.path.absolute() in other.program.imports.imports_of(other.path).values()
    )


def _takes(other: File, home: File, name: str, seen: frozenset[File]) -> bool:
    local = other.program.imports.imports_of(other.path)
    here = {dotted for dotted, path in local.items() if path == home.path.absolute()}
    if here & {*other.meanings.star_imports}:
        own = other.meanings.module.bindings.get(name, [])
        if not own and is_taken(other, name, seen):  # it hands the name on
            return True
        targets = {
            getattr(each, "target", None) for each in (*own, *home.meanings.module.bindings.get(name, []))
        }
        alike = own and len(targets) == 1 and None not in targets
        if not alike and any(use.value == name for use in other.all(cst.Name)):
            return True
    if any(literal(text) == name for text in other.tree.literals):  # getattr(module, 'misc')
        return True
    for node in other.all(cst.ImportFrom):
        if module_of(node) in here and any(name == taken.rpartition(".")[2] for _, taken in imported(node)):
            return True
    roots = {dotted.partition(".")[0] for dotted in local}
    for attribute in other.all(cst.Attribute):
        of = other.meanings.canonical(attribute.value)
        if attribute.attr.value == name and (of is None or of.partition(".")[0] in roots):
            return True
    return any(_is_handed_on(other, use, here) for use in other.all(cst.Name))


def _is_handed_on(file: File, use: cst.CSTNode, modules: set[str]) -> bool:
    """Whether a name begins a use of a whole module, of which no attribute is taken at once."""
    while (around := file.tree.parents.get(use)) is not None:
        if file.meanings.canonical(use) in modules:
            return not isinstance(around, cst.Attribute)
        if not isinstance(around, cst.Attribute):
            return False
        use = around
    return False
