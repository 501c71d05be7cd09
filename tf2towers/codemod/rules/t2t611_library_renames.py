"""T2T611: what NumPy, SciPy, Python and other libraries have renamed; what is not certain is T2T628."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.arguments import added_argument, without_argument
from tf2towers.codemod.certainty import GOES_THROUGH
from tf2towers.codemod.changes import (
    Becomes,
    Change,
    Now,
    Removal,
    Replacement,
    bare,
    expression,
    given_by,
    in_its_place,
    in_line,
    in_lines,
    replace,
    small,
)
from tf2towers.codemod.dead_code import is_taken
from tf2towers.codemod.libraries import (
    Changed,
    gone_part,
    imported_modules,
    last_names,
    library_changes,
    library_name,
    librosa_arguments,
    requirements_of,
)
from tf2towers.codemod.program import File, cached_per_file
from tf2towers.codemod.python_versions import (
    counterpart,
    is_expected_to_fail,
    is_never_reached,
    made_lists,
    missed_names,
)
from tf2towers.codemod.reached import find_unreached_context, is_named, note_site
from tf2towers.codemod.rule import Example, Rule

_GO_THROUGH = GOES_THROUGH | {"builtins.enumerate", "builtins.map", "builtins.zip"}


def changes(file: File) -> Iterator[Change]:
    """A new text for each use of such a name, method or keyword, and for each import of one."""
    given = set().union(*map(_find_given, {file, *file.program.files}))
    for node, name in _find_uses(file):
        change = library_changes()[name]
        if name in given or _is_part_of_another(file, node) or _is_fenced(file, node, change):
            continue
        if change.kind == "attribute":
            yield Replacement(node, _named(change.target))
        elif (text := _replacement_text(file, node, change)) is not None:
            yield replace(node, text)
        else:
            _note_site(file, node, name, change)
    for statement in file.imports:
        yield from (
            _change_import_from(file, statement)
            if isinstance(statement, cst.ImportFrom)
            else _change_import(file, statement)
        )
    for missed in missed_names(file):
        if (instead := counterpart(file, missed)) is not None:
            module, _, name = instead.rpartition(".")
            yield replace(missed, file.need(name, module) if module else instead)
    for call in made_lists(file):
        yield Replacement(call, _listed)
    libraries = imported_modules(file)
    for call in file.all(cst.Call):
        yield from _change_call(file, call, libraries)
    for used in file.all(cst.Name):
        builtin = library_changes().get(f"builtins.{used.value}")
        if builtin is not None and file.is_read(used) and not file.meanings.bindings(used):
            yield replace(used, builtin.target)
        for module in file.meanings.star_imports:
            if f"{module}.{used.value}" in library_changes() and not file.meanings.bindings(used):
                file.note(used, "T2T628", f"{module}.{used.value}, which a star import takes, is gone")


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


def _is_fenced(file: File, node: cst.CSTNode, change: Changed) -> bool:
    """True if the program can do without a name that is gone; the runtime's replacement is written all the same."""
    return is_never_reached(file, node) or (change.kind != "runtime" and is_expected_to_fail(file, node))


def _listed(updated: cst.Call, now: Now) -> cst.BaseExpression:
    return in_its_place(expression("list({given})", given=bare(updated)), updated)


def _is_part_of_another(file: File, node: cst.Attribute) -> bool:
    """True if `node` is an attribute of something that has a counterpart itself (`np.math.inf`)."""
    name = library_name(file, node.value) if isinstance(node.value, cst.Attribute) else None
    return name in library_changes() and library_changes()[name].kind != "left"


def _named(name: str) -> Becomes:
    """What gives an attribute another name."""
    return lambda updated, now: updated.with_changes(attr=cst.Name(name))


def _replacement_text(file: File, node: cst.Attribute, change: Changed) -> str | None:
    """The new text for a use; None if it is left."""
    target = change.target
    match change.kind:
        case "builtin":
            return target if target not in file.bound_names else None
        case "module":
            has_it = file.meanings.top_meaning(target) == target
            return target if has_it else file.need_module(target, target)
        case "from":
            names = file.meanings.top_names
            bound = next((name for name in names if file.meanings.top_meaning(name) == target), None)
            return f"{bound}.{node.attr.value}" if bound else file.need(node.attr.value, target)
        case "runtime":
            module, _, attribute = target.rpartition(".")
            parent, _, last = module.rpartition(".")
            return f"{file.need(last, parent)}.{attribute}"
    return None


def _note_site(file: File, node: cst.CSTNode, name: str, change: Changed) -> None:
    instead = change.target
    if change.kind != "left":
        instead += ", a name that the file uses for something else"
    _note_lost(file, node, f"{name} is gone", instead, name)


def _note_lost(file: File, node: cst.CSTNode, message: str, instead: str, name: str) -> None:
    """Notes what a library has lost; it is only a note where a release that TensorFlow 2.21 runs with still has it."""
    kept = requirements_of(name)
    ways = [instead] * bool(instead) + [f"keep {' '.join(kept)}"] * bool(kept)
    reached = find_unreached_context(file, node, "") is None
    advice = f"; instead: {', or '.join(ways)}" if ways else ""
    note_site(file, node, "T2T628", message, advice=advice, kind="note" if kept else "left")
    if reached:
        file.program.requirements.update(kept)


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
    if not kept:
        yield Removal(statement)
    elif kept != before:
        new = small(f"import {', '.join(kept)}")
        yield Replacement(statement, lambda updated, now: in_line(new, updated))


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
        if name.startswith(f"{dotted}.") and library_changes()[name].kind != "left"
        for inner in nodes.walk(node)
    }
    return all(use in anew for use in file.all(cst.Name) if use.value == root and file.is_read(use))


def _change_import_from(file: File, statement: cst.ImportFrom) -> Iterator[Change]:
    """`from collections import OrderedDict, Mapping` becomes two imports."""
    module = nodes.module_of(statement)
    if module.startswith((".", "keras.")) or file.program.imports.has(file.path, module):
        return
    taken = [nodes.name_of(alias) for alias in nodes.aliases(statement)]
    names = {name: library_changes().get(f"{module}.{name}") for name in taken}
    home = gone_part(module)
    if home is not None and not all(names.values()):
        if not _is_fenced(file, statement, library_changes()[home]):
            _note_site(file, statement, home, library_changes()[home])
        return
    found = {name: change for name, change in names.items() if change is not None}
    if not found or any(_is_fenced(file, statement, change) for change in found.values()):
        return
    kept = [
        nodes.as_named(nodes.name_of(alias), nodes.asname_of(alias))
        for alias in nodes.aliases(statement)
        if nodes.name_of(alias) not in found
    ]
    lines = [f"from {module} import {', '.join(kept)}"] if kept else []
    for alias in nodes.aliases(statement):
        name, bound, change = nodes.name_of(alias), nodes.bound_by(alias), found.get(nodes.name_of(alias))
        if change is None or _are_all_rewritten(file, bound, f"{module}.{name}"):
            continue
        if change.kind == "left" and not is_named(file, alias):
            continue
        target, _, last = change.target.rpartition(".")
        may_move = statement in file.body and "#" not in file.text.of(statement)
        if change.kind == "runtime" and may_move and file.meanings.imported_meaning(bound):
            file.bind(bound, target, last)
            continue
        new = {
            "attribute": f"from {module} import {nodes.as_named(change.target, bound)}",
            "from": f"from {change.target} import {nodes.as_named(name, bound)}",
            "runtime": f"from {target} import {nodes.as_named(last, bound)}",
            "module": f"import {nodes.as_named(change.target, bound)}",
            "builtin": "" if bound == change.target else None,
        }.get(change.kind)
        if new is None:
            _note_site(file, statement, f"{module}.{name}", change)
            return
        lines += [new] if new else []
    text = file.text.of(statement)
    all_bound = len(names) == 1 or all(change.kind == "runtime" for change in found.values())
    if not lines and all_bound and "#" not in text:
        yield Removal(statement)
    elif not lines or "#" in text:
        file.note(statement, "T2T628", f"{module}.{next(iter(found))}, imported here, is gone")
    else:
        yield Replacement(statement, lambda updated, now: in_lines([*map(small, lines)], updated))


@cached_per_file
def _find_given(file: File) -> set[str | None]:
    """The names of libraries that a file gives a value."""
    bound = (
        node for node in file.all(cst.Attribute) if node.attr.value in last_names() and file.is_bound(node)
    )
    return {library_name(file, node) for node in bound}


def _change_call(file: File, call: cst.Call, libraries: frozenset[str]) -> Iterator[Change]:
    """What becomes of a call by the table's rows: of its arguments, and of what is taken from its result."""
    changes, function = library_changes(), library_name(file, call.func) or ""
    method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    change = changes.get(f".{method}") or changes.get(f".{method}({len(call.args)})")
    of_any = change is not None and (not change.library or change.kind == "unpacked")
    if change is not None and not function and (of_any or change.library in libraries):
        yield from _change_method(file, call, method, change)
    if not function:
        return
    around = file.parent(call)
    taken = around.attr.value if isinstance(around, cst.Attribute) else ""
    given_as: dict[str, cst.Arg | None] = {f"{function}()": None, f"{function}(.{taken})": None}
    for place, given in enumerate(call.args):
        word = nodes.keyword_of(given) or str(place)
        given_as |= {f"{function}({word})": given, f"{function}({word}={nodes.literal(given.value)})": given}
    rows = [(changes[name], given) for name, given in given_as.items() if name in changes]
    if rows and not is_never_reached(file, call):
        for change, argument in rows:
            yield from _change_argument(file, call, argument, change)
    library, _, name = function.partition(".")[0], *function.rpartition(".")[1:]
    if (known := changes.get(f"{library}(*)")) is not None and name.islower():
        places = int(changes.get(f"{library}.{name}(*)", known).target)
        if len(nodes.positional(call)) > places and not is_never_reached(file, call):
            named = librosa_arguments().get(name, ())
            if len(nodes.positional(call)) <= len(named) and not nodes.has_star(call):
                for given, word in zip(call.args[places:], named[places:], strict=False):
                    if not nodes.keyword_of(given):
                        yield Replacement(given, given_by(word))
                return
            message = f"{name}() takes fewer positional arguments than in {known.library}"
            _note_lost(file, call, message, "give the arguments by their names", f"{library}(*)")


def _change_argument(file: File, call: cst.Call, given: cst.Arg | None, change: Changed) -> Iterator[Change]:
    """What becomes of a call by a row for an argument, for its value, or for a call without it."""
    word = nodes.keyword_of(given) if given is not None else ""
    match change.kind, given:
        case "beside", _:
            added, _, value = change.target.partition("=")
            known = {nodes.keyword_of(each) for each in call.args} | {"*" for each in call.args if each.star}
            if not known & {added, "*"} and len(nodes.positional(call)) == 1:
                yield added_argument(call, f"{added}={_value_text(file, call, value)}")
        case "renamed", cst.Arg():
            yield Replacement(given, given_by(change.target))
        case "dropped", cst.Arg(value=value) if nodes.is_literal(value):
            yield without_argument(call, given)
        case "value", cst.Arg(value=cst.SimpleString(quote=quote) as value):
            if not file.meanings.star_imports:
                yield replace(value, f"{quote}{change.target}{quote}")
        case "list", cst.Arg(value=cst.GeneratorExp(lpar=own) as value) if len(own) < 2:
            yield Replacement(value, _list_of)
        case (("dropped" | "left"), cst.Arg()):
            _note_site(
                file,
                call,
                f"the argument {word} of {library_name(file, call.func)}",
                Changed("left", change.target),
            )


def _list_of(updated: cst.GeneratorExp, now: Now) -> cst.ListComp:
    """`[x for x in y]` for `(x for x in y)`, or for one without brackets of its own."""
    if not updated.lpar:
        return cst.ListComp(updated.elt, updated.for_in)
    opened = cst.LeftSquareBracket(updated.lpar[0].whitespace_after)
    return cst.ListComp(
        updated.elt, updated.for_in, opened, cst.RightSquareBracket(updated.rpar[0].whitespace_before)
    )


def _value_text(file: File, call: cst.Call, value: str) -> str:
    """The text for a value that a call is given: a name of the function's own module is taken from there."""
    module, _, name = value.rpartition(".")
    if not module:
        return value
    if isinstance(call.func, cst.Attribute) and library_name(file, call.func.value) == module:
        return f"{nodes.dotted(call.func.value)}.{name}"
    return file.need(name, module)


def _change_method(file: File, call: cst.Call, method: str, change: Changed) -> Iterator[Change]:
    """Replaces a method by today's, if it certainly is the library's: a class of the program may have such a name."""
    if (
        is_never_reached(file, call)
        or is_expected_to_fail(file, call)
        or find_unreached_context(file, call, "")
    ):
        return
    if change.kind == "note":
        file.note(call, "T2T628", change.target, "note")
        return
    if change.kind == "unpacked":
        if _is_unpacked(file, call, change.target) and _is_called(file, change.library):
            _note_lost(file, call, f"{method}() returns more values today", change.target, f".{method}")
        return
    own = method in file.program.own_names
    if own and m.matches(call.func, m.Attribute(m.Name("self"))):
        return
    known = change.library or all(nodes.is_literal(given.value) for given in call.args)
    certain = change.kind == "renamed" and known
    if not own and (certain or (change.kind == "through" and _is_gone_through(file, call))):
        yield Replacement(call.func, _named(change.target))
    elif not own and change.kind == "property" and not call.args:
        yield Replacement(call, partial(_property, change.target))
    else:
        instead = f"{change.target}()" if change.target.isidentifier() else change.target
        _note_lost(file, call, f"{method}() is gone from {change.library or 'Python'}", instead, f".{method}")


def _property(name: str, updated: cst.Call, now: Now) -> cst.BaseExpression:
    """`x.name` for `x.get_name()`."""
    method = cst.ensure_type(updated.func, cst.Attribute)
    return in_its_place(method.with_changes(attr=cst.Name(name)), updated)


def _is_unpacked(file: File, call: cst.Call, today: str) -> bool:
    """True if a call's result is assigned to fewer names than it has today."""
    match file.parent(call):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Tuple() as names)]):
            return len(names.elements) <= today.partition(";")[0].count(",")
    return False


def _is_called(file: File, function: str) -> bool:
    """True if the program calls a function of a library."""
    root, _, last = function.rpartition(".")
    files = (each for each in file.program.all_files if root in each.text.text and last in each.text.text)
    return any(library_name(each, call.func) == function for each in files for call in each.all(cst.Call))


def _is_gone_through(file: File, call: cst.Call) -> bool:
    """True if a call's result is only iterated over, from its beginning."""
    match file.parent(call):
        case (cst.For() | cst.CompFor()) as loop:
            return loop.iter is call
        case cst.Call() as around if call in nodes.positional(around):
            return file.canonical(around.func) in _GO_THROUGH
    return False


RULE = Rule(
    code="T2T611",
    title="Names that NumPy, SciPy and Python have given up",
    why="""
    TensorFlow 2.21 comes with NumPy 2, on Python 3.10 and newer. np.float, np.Inf, np.fromstring, array.tostring,
    collections.Mapping, time.clock and scipy.misc.imread are gone. np.float and the like were Python's own types under
    another name, and `xrange` is `range`. A function without an exact counterpart is in tf2towers.runtime.

    A table has the renames that are certain. Anything else that a library has changed stops the program by an error of
    its own.
    """,
    sources=(
        "codemod/libraries.tsv",
        "numpy 1.24 and 2.0 release notes, 'Expired deprecations'",
        "PyYAML 6.0",
    ),
    changes=changes,
    programs=frozenset({"tf1", "migrated"}),
    modules=True,
    examples=(
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
    ),
)
