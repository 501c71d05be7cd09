"""T2T611: what NumPy, SciPy, Python and other libraries have renamed; what is not certain is T2T628."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from tf2towers.codemod import nodes
from tf2towers.codemod.changes import Change, Removal, Replacement, replace_statement
from tf2towers.codemod.dead_code import is_taken
from tf2towers.codemod.libraries import gone_part, last_names, library_name, note_lost
from tf2towers.codemod.library_calls import change_call, renamed
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.python_versions import (
    are_lists_in_both,
    counterpart,
    is_expected_to_fail,
    is_never_reached,
    lists_of_python2,
    missed_names,
)
from tf2towers.codemod.reached import is_named
from tf2towers.codemod.rule import Example, Rule
from tf2towers.codemod.tables import LibraryChange, library_changes


def _find_uses(file: File) -> Iterator[tuple[cst.Attribute, str]]:
    """The reads of such names in a file, through the modules that have them."""
    for node in file.all(cst.Attribute):
        if node.attr.value in last_names() and file.is_read(node):
            name = library_name(file, node)
            if name is None or name not in library_changes() or name.startswith("keras."):
                continue
            around = file.parent(node)
            longer = isinstance(around, cst.Attribute) and f"{name}.{around.attr.value}" in library_changes()
            if not longer and not file.program.imports.has(file.path, name):
                yield node, name


def _is_fenced(file: File, node: cst.CSTNode, change: LibraryChange) -> bool:
    """True if the program can do without a name that is gone; the runtime's replacement is written all the same."""
    return is_never_reached(file, node) or (not change.is_in_runtime and is_expected_to_fail(file, node))


def _is_part_of_another(file: File, node: cst.Attribute) -> bool:
    """True if `node` is an attribute of something that has a counterpart itself (`np.math.inf`)."""
    name = library_name(file, node.value) if isinstance(node.value, cst.Attribute) else None
    return name in library_changes() and library_changes()[name].kind != "gone"


def _replacement_text(file: File, node: cst.Attribute, change: LibraryChange) -> str | None:
    """The new text for a use; None if it is left."""
    home, last = change.home, change.last
    if change.kind == "gone" or (home == "builtins" and last in file.names.bound_names):
        return None
    if change.kind == "module":
        has_it = file.meanings.top_meaning(change.target) == change.target
        return change.target if has_it else file.decided.need_module(change.target, change.target)
    if home == "builtins":
        return last
    if change.is_in_runtime:
        return f"{file.need(home.rpartition('.')[2], home.rpartition('.')[0])}.{last}"
    names = file.meanings.top_names
    bound = next((name for name in names if file.meanings.top_meaning(name) == home), None)
    return f"{bound}.{last}" if bound else file.need(last, home)


def _note_site(file: File, node: cst.CSTNode, name: str, change: LibraryChange) -> None:
    instead = change.target.removeprefix("builtins.")
    if change.kind != "gone":
        instead += ", a name that the file uses for something else"
    note_lost(file, node, f"{name} is gone", instead, name)


def _change_import(file: File, statement: cst.Import) -> Iterator[Change]:
    """`import xml.etree.cElementTree as ET` gets the module's present name; an import that nothing needs is removed."""
    kept: list[str] = []
    before = [nodes.as_named(nodes.name_of(alias), nodes.asname_of(alias)) for alias in statement.names]
    for alias in statement.names:
        name, bound = nodes.name_of(alias), nodes.asname_of(alias)
        part = gone_part(name)
        if (
            part is None
            or part.startswith("keras.")
            or file.program.imports.has(file.path, name)
            or _is_fenced(file, statement, library_changes()[part])
        ):
            kept.append(nodes.as_named(name, bound))
        elif part == name and library_changes()[part].kind == "module" and bound:
            kept.append(nodes.as_named(library_changes()[part].target, bound))
        elif part != name or not _are_all_rewritten(file, bound or name, name):
            _note_site(file, statement, part, library_changes()[part])
            return
    if kept != before:
        yield replace_statement(statement, [f"import {', '.join(kept)}"] if kept else [])


def _are_all_rewritten(file: File, bound: str, dotted: str) -> bool:
    """True if nothing needs the import of a module that is gone: each use of it is one that has a counterpart."""
    if not any(name.startswith(f"{dotted}.") for name in library_changes()):
        return False
    root = bound.partition(".")[0]
    if is_taken(file, root):
        return False
    anew = {
        inner
        for node, name in _find_uses(file)
        if name.startswith(f"{dotted}.") and library_changes()[name].kind != "gone"
        for inner in nodes.walk(node)
    }
    return all(use in anew for use in file.all(cst.Name) if use.value == root and file.is_read(use))


def _change_import_from(file: File, statement: cst.ImportFrom) -> Iterator[Change]:
    """`from collections import OrderedDict, Mapping` becomes two imports."""
    module = nodes.module_of(statement)
    if module.startswith((".", "keras.")) or file.program.imports.has(file.path, module):
        return
    taken = [nodes.name_of(alias) for alias in nodes.aliases(statement)]
    home = gone_part(module)
    of_home = library_changes()[home] if home is not None else None
    names = {name: library_changes().get(f"{module}.{name}", of_home) for name in taken}
    found = {name: change for name, change in names.items() if change is not None}
    if not found or any(_is_fenced(file, statement, change) for change in found.values()):
        return
    if (
        isinstance(statement.names, cst.ImportStar)
        and home is not None
        and of_home
        and of_home.kind == "gone"
    ):
        _note_site(file, statement, home, of_home)
        return
    kept = [
        nodes.as_named(nodes.name_of(alias), nodes.asname_of(alias))
        for alias in nodes.aliases(statement)
        if nodes.name_of(alias) not in found
    ]
    lines = [f"from {module} import {', '.join(kept)}"] if kept else []
    if home is not None and of_home is not None and of_home.kind == "module":
        moved = [
            nodes.as_named(nodes.name_of(alias), nodes.asname_of(alias))
            for alias in nodes.aliases(statement)
            if found[nodes.name_of(alias)] is of_home
        ]
        lines += (
            [f"from {of_home.target}{module.removeprefix(home)} import {', '.join(moved)}"] if moved else []
        )
    for alias in nodes.aliases(statement):
        name, bound, change = nodes.name_of(alias), nodes.bound_by(alias), found.get(nodes.name_of(alias))
        if change is None or _are_all_rewritten(file, bound, f"{module}.{name}"):
            continue
        if change is of_home and change.kind == "module":
            continue
        if change.kind == "gone" and not is_named(file, alias):
            continue
        may_move = statement in file.body and "#" not in file.text.of(statement)
        if change.is_in_runtime and may_move and file.meanings.imported_meaning(bound):
            file.decided.bind(bound, change.home, change.last)
            continue
        new = None if change.kind == "gone" else _new_import(change, bound)
        if new is None:
            _note_site(file, statement, f"{module}.{name}", change)
            return
        lines += [new] if new else []
    text = file.text.of(statement)
    all_bound = len(names) == 1 or all(change.is_in_runtime for change in found.values())
    if not lines and all_bound and "#" not in text:
        yield Removal(statement)
    elif not lines or "#" in text:
        file.note(statement, "T2T628", f"{module}.{next(iter(found))}, imported here, is gone")
    else:
        yield replace_statement(statement, lines)


def _new_import(change: LibraryChange, bound: str) -> str | None:
    """The import that binds a name to what it stands for; empty where a builtin needs none, None where none can."""
    if change.kind == "module":
        return f"import {nodes.as_named(change.target, bound)}"
    if change.home == "builtins":
        return "" if bound == change.last else None
    return f"from {change.home} import {nodes.as_named(change.last, bound)}"


@found_once
def _find_given(file: File) -> set[str | None]:
    """The names of libraries that a file gives a value."""
    bound = (
        node for node in file.all(cst.Attribute) if node.attr.value in last_names() and file.is_bound(node)
    )
    return {library_name(file, node) for node in bound}


class LibraryRenames(Rule):
    """Names that NumPy, SciPy and Python have given up

    TensorFlow 2.21 comes with NumPy 2, on Python 3.10 and newer. np.float, np.Inf, np.fromstring, array.tostring,
    collections.Mapping, time.clock and scipy.misc.imread are gone. np.float and the like were Python's own types under
    another name, and `xrange` is `range`. A function without an exact counterpart is in tf2towers.runtime.

    A table has the renames that are certain. Anything else that a library has changed stops the program by an error of
    its own.
    """

    programs = frozenset({"tf1", "migrated"})
    modules = True
    sources = (
        "codemod/libraries.tsv",
        "codemod/library_calls.py",
        "numpy 1.24 and 2.0 release notes, 'Expired deprecations'",
        "PyYAML 6.0",
    )
    examples = (
        Example(
            "types, constants and bytes",
            """
                import numpy as np
                import tensorflow as tf

                x = np.fromstring(b'ab', dtype=np.uint8).astype(np.float)
                tf.Session().run(tf.constant(x * np.Inf))
                """,
            """
                import numpy as np
                import tensorflow.compat.v1 as tf
                from tf2towers.runtime import Session, graph_mode, numpy1

                graph_mode()

                x = numpy1.fromstring(b'ab', dtype=np.uint8).astype(float)
                Session().run(tf.constant(x * np.inf))
                """,
        ),
    )

    def visit_Module(self, node: cst.Module) -> None:
        """A new text for each use of such a name, method or keyword, and for each import of one."""
        file = self.file
        given = set().union(*map(_find_given, {file, *file.program.files}))
        for use, name in _find_uses(file):
            change = library_changes()[name]
            if name in given or _is_part_of_another(file, use) or _is_fenced(file, use, change):
                continue
            if change.kind == "name" and change.home == name.rpartition(".")[0]:
                self.changes.append(Replacement(use, renamed(change.last)))
            elif (text := _replacement_text(file, use, change)) is not None:
                self.replace(use, text)
            else:
                _note_site(file, use, name, change)
        for statement in file.imports:
            if isinstance(statement, cst.ImportFrom):
                self.change(_change_import_from(file, statement))
            else:
                self.change(_change_import(file, statement))
        for missed in missed_names(file):
            if (instead := counterpart(file, missed)) is not None:
                module, _, name = instead.rpartition(".")
                self.replace(missed, file.need(name, module) if module else instead)
        for call in lists_of_python2(file):
            if are_lists_in_both(file.program):
                self.replace(call, "list({call})", call=call)

    def visit_Call(self, node: cst.Call) -> None:
        """Today's methods and arguments."""
        self.change(change_call(self.file, node))

    def visit_Name(self, node: cst.Name) -> None:
        """Today's names of what Python, or a star import, had by a name alone."""
        file, stars = self.file, self.file.meanings.star_imports
        builtin = library_changes().get(f"builtins.{node.value}")
        gone = [name for module in stars if (name := f"{module}.{node.value}") in library_changes()]
        if (builtin is None and not gone) or file.meanings.bindings(node):
            return
        if builtin is not None and file.is_read(node):
            self.replace(node, builtin.last)
        for name in gone:
            file.note(node, "T2T628", f"{name}, which a star import takes, is gone")
