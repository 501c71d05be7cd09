"""Which functions of a program nothing in it names: what TF 2 has lost may stay in them.

A module that several scripts share has parts for each: `configure_tpu` beside what a GPU script calls. So has a
script: functions that were copied with it, for another way to train. Names decide, whatever they mean: a function
counts as called when its name occurs anywhere in code that may run, as a name, an attribute or a string; but not where
it is TensorFlow's (`tf.train`), or certainly bound in another file. Code that may run is what a file's top level runs,
with the defaults, bases and class bodies there, and what is called from it. Where such code looks names up by other
means (`getattr` with a variable, `globals`, `eval`, an import by a text) every function counts as called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

import libcst as cst

from tf2towers.codemod.meanings import Imported
from tf2towers.codemod.nodes import (
    Alias,
    aliases,
    asname_of,
    bases,
    block,
    bound_by,
    compared,
    decorators,
    defaults,
    is_literal,
    is_name,
    keywords,
    last_name,
    literal,
    name_of,
    orelse,
    parameters,
    positional,
    targets,
    walk,
)
from tf2towers.codemod.reached import (
    Modules,
    find_enabling_test,
    is_optional_addition,
    only_for_debuggers,
    only_for_tpus,
)
from tf2towers.codemod.symbols import session_names
from tf2towers.codemod.tensorflow_versions import is_for_another
from tf2towers.report.result import FindingKind

if TYPE_CHECKING:
    from tf2towers.codemod.file import File

#: builtins that look names up
_LOOK_UP = frozenset({"globals", "vars", "locals", "eval", "exec", "__import__"})
#: attributes and functions of modules that do
_BY_OTHER_MEANS = frozenset({"__import__", "import_module", "__subclasses__", "getmembers"})
#: functions that run what the script's own module has, whatever it is
_RUN_ALL = frozenset(
    {
        "unittest.main", "tf.test.main", "absl.testing.absltest.main", "doctest.testmod", "fire.Fire", "nose.main",
        "nose.runmodule", "pytest.main",
    }
)  # fmt: skip

Unit = cst.FunctionDef | cst.ClassDef


def never_called(files: Sequence[File]) -> frozenset[cst.CSTNode]:
    """The functions and classes at the top of modules that no code which may run names.

    Args:
        files: all files of the program, those without TensorFlow, too.
    """
    waiting: list[tuple[File, Unit]] = []
    runs: list[tuple[File, cst.CSTNode]] = []
    registered = _registered_classes(files)
    named: set[str | tuple[File, str]] = set()
    for file in files:
        # a notebook's cells may call by magics (%time f()), and are run by hand
        all_called = file.main and (file.script.notebook is not None or not _is_script(file))
        if file.main:
            named.add("main")  # tf.app.run() calls it
        for statement in file.body:
            if not file.main and _asks_for_main(statement):
                continue
            if isinstance(statement, Unit) and not (all_called or _is_called_unnamed(statement, registered)):
                waiting.append((file, statement))
                runs += ((file, part) for part in _run_at_definition(statement))
            else:
                runs.append((file, statement))
    of_tensorflow = {file: {node for symbol, _ in file.symbols for node in walk(symbol)} for file in files}
    new = runs
    while new:
        named = named.union(*(_names_in(file, part, of_tensorflow[file]) for file, part in new))
        new = [(file, unit) for file, unit in waiting if {unit.name.value, (file, unit.name.value)} & named]
        waiting = [found for found in waiting if found not in new]
        runs = [*runs, *new]
    modules = Modules([file.path for file in files], runs)
    if any(_looks_names_up(file, part, modules) for file, part in runs):
        return frozenset()
    return frozenset(unit for _, unit in waiting)


def is_named(file: File, imported: Alias) -> bool:
    """Whether anything in a program names what an import binds: code, another import, a text (`__all__`)."""
    bound = bound_by(imported)
    for each in file.program.all_files:
        names = (
            alias for node in each.all(cst.ImportFrom) for alias in aliases(node) if alias is not imported
        )
        if (
            any(name.value == bound for name in each.all(cst.Name))
            or any(attribute.attr.value == bound for attribute in each.all(cst.Attribute))
            or any(literal(text) == bound for text in each.tree.literals)
            or bound in map(name_of, names)
        ):
            return True
    return False


def _is_script(file: File) -> bool:
    """Whether a file does something when it is run; else it is a module, given by itself, for others to call."""
    runs = [node for each in file.body if not isinstance(each, Unit) for node in walk(each)]
    if any(is_name(node) and node.value == "__name__" for node in runs):
        return True
    local = {dotted.lstrip(".").partition(".")[0] for dotted in file.program.imports.imports_of(file.path)}
    own = {unit.name.value for unit in file.body if isinstance(unit, Unit)}
    for call in (node for node in runs if isinstance(node, cst.Call)):
        name = file.canonical(call.func) or ""
        if name in session_names() or name == "tf.app.run" or name in own:
            return True
        if name.lstrip(".").partition(".")[0] in local:
            return True
    return False


def _is_called_unnamed(unit: Unit, registered: Set[str]) -> bool:
    """Whether something may call it that does not name it: a decorator, Python itself, a registry of classes."""
    name = unit.name.value
    if isinstance(unit, cst.ClassDef):
        return bool(unit.decorators) or name in registered
    return bool(unit.decorators) or (name.startswith("__") and name.endswith("__"))


def _registered_classes(files: Sequence[File]) -> set[str]:
    """The names of classes that are given to another one when they are defined: by a metaclass, `__init_subclass__`."""
    classes = [each for file in files for each in file.body if isinstance(each, cst.ClassDef)]
    found: set[str] = set()
    while more := {each.name.value for each in classes if _is_registered(each, found)} - found:
        found |= more
    return found


def _is_registered(defined: cst.ClassDef, registered: Set[str]) -> bool:
    body = block(defined)
    given = {last_name(each) for node in body if isinstance(node, cst.Assign) for each in targets(node)}
    methods = {node.name.value for node in body if isinstance(node, cst.FunctionDef)}
    metaclass = next((last_name(given.value) for given in keywords(defined)), "ABCMeta")
    return (
        metaclass != "ABCMeta"
        or "__metaclass__" in given
        or "__init_subclass__" in methods
        or any(isinstance(base, cst.Call) or last_name(base) in registered for base in bases(defined))
    )


def _run_at_definition(unit: Unit) -> Iterator[cst.CSTNode]:
    """What of a function or class runs where it is defined: decorators, defaults, annotations, a class's own body.

    The name of a base does not count: no method of it is called.
    """
    yield from decorators(unit)
    if isinstance(unit, cst.ClassDef):
        yield from (base for base in bases(unit) if not isinstance(base, cst.Name | cst.Attribute))
        yield from keywords(unit)
        for statement in block(unit):
            yield from _run_at_definition(statement) if isinstance(statement, Unit) else [statement]
    else:
        yield from defaults(unit)
        notes = [each.annotation for each in parameters(unit)] + [unit.returns]
        yield from (note.annotation for note in notes if note is not None)


def find_unreached_context(file: File, node: cst.CSTNode, why: str) -> str | None:
    """What a use of something without counterpart may stay in, for nothing leads there; None where something may."""
    if (unit := never_called_around(file, node)) is not None:
        return f"{unit.name.value}, which nothing here calls"
    if only_as_main(file, node):
        return "what only runs where this file is the script itself"
    if is_for_another(file, node):
        return "what is for another TensorFlow than 1.15"
    if "tf.python.debug" in why and only_for_debuggers(file, node):
        return "what is for a debugger"
    if "tf.contrib.tpu" in why and only_for_tpus(file, node):
        return "what is for TPUs"
    test = find_enabling_test(file, node) if is_optional_addition(why) else None
    return f"what `{test}` asks for, which is off by default" if test is not None else None


def note_site(
    file: File,
    node: cst.CSTNode,
    code: str,
    message: str,
    *,
    why: str = "",
    advice: str = "",
    stays: str = "it stays in {}, and raises where it is reached",
    kind: FindingKind = "left",
) -> None:
    """Notes a site as left, and what to do there; where nothing leads to it, it is only a note.

    Args:
        why: the reason, where it says for what a site has to be reached (`find_unreached_context`).
        stays: what the note says then.
    """
    if (where := find_unreached_context(file, node, why)) is None:
        file.note(node, code, message + advice, kind)
    else:
        file.note(node, code, f"{message}; {stays.format(where)}", "note")


def never_called_around(file: File, node: cst.CSTNode) -> Unit | None:
    """The function or class that has to be called before a node is reached, where nothing does.

    What runs where it is defined is reached all the same: `class Cell(tf.contrib.gone.Cell):`, `def f(x=tf.gone()):`.
    """
    inner, in_a_body = node, False
    for around in file.ancestors(node):
        in_a_body = in_a_body or (isinstance(around, cst.FunctionDef) and inner in block(around))
        if isinstance(around, Unit) and around in file.program.never_called:
            return around if in_a_body else None
        inner = around
    return None


def only_as_main(file: File, node: cst.CSTNode) -> bool:
    """Whether a node is in the `if __name__ == "__main__":` of a module that the script imports."""
    if file.main or any("runpy" in each.script.text for each in file.program.files):
        return False
    inner: cst.CSTNode = node
    for around in file.ancestors(node):
        if isinstance(around, cst.If) and inner in block(around) and _asks_for_main(around):
            return True
        inner = around
    return False


def _asks_for_main(statement: cst.CSTNode) -> bool:
    """Whether it is `if __name__ == "__main__":`, with nothing for other cases."""
    if not isinstance(statement, cst.If) or orelse(statement):
        return False
    match compared(statement.test):
        case left, cst.Equal(), right:
            return {last_name(left), last_name(right)} == {"__name__", ""} and "__main__" in (
                literal(left),
                literal(right),
            )
    return False


def _names_in(file: File, part: cst.CSTNode, of_tensorflow: Set[cst.CSTNode]) -> set[str | tuple[File, str]]:
    """The names in a part of a file, without TensorFlow's; with the file where they are certainly bound in it."""
    found: set[str | tuple[File, str]] = set()
    for node in walk(part):
        if node in of_tensorflow:
            continue
        if is_name(node):
            found.add((file, node.value) if _is_own(file, node) else node.value)
        elif isinstance(node, cst.Attribute):
            found.add(node.attr.value)
        elif isinstance(value := literal(node), str):
            found.add(value)
            if re.fullmatch(r"[\w.:]+", value):  # "models.vgg:build"
                found.update(re.split(r"[.:]", value))
        elif isinstance(node, cst.Import | cst.ImportFrom):  # of imports only what gets another name
            renamed = (alias for alias in aliases(node) if asname_of(alias) is not None)
            found.update(name_of(alias).rpartition(".")[2] for alias in renamed)
    return found


def _looks_names_up(file: File, part: cst.CSTNode, modules: Modules) -> bool:
    """Whether a part of a file may take functions by names that are not written in it."""
    for node in walk(part):
        if is_name(node):
            if node.value in _LOOK_UP | _BY_OTHER_MEANS and not _is_own(file, node):
                if node.value != "vars" or not _asks_an_object(file, node, modules):
                    return True
        elif isinstance(node, cst.Attribute):
            name = node.attr.value
            if name == "__dict__":
                if modules.may_be(file, node.value):
                    return True
            elif name in _BY_OTHER_MEANS or (name in _LOOK_UP and "builtin" in last_name(node.value)):
                return True
        if isinstance(node, cst.Name | cst.Attribute) and file.canonical(node) in _RUN_ALL:
            return True
        if isinstance(node, cst.Call) and is_name(node.func) and node.func.value == "getattr":
            given = positional(node)
            if len(given) < 2 or (modules.may_be(file, given[0]) and not is_literal(given[1])):
                return True
    return False


def _is_own(file: File, name: cst.Name) -> bool:
    """Whether a name is the file's own: `vars = tf.trainable_variables()`."""
    bindings = file.meanings.bindings(name)
    return bool(bindings) and not any(isinstance(binding, Imported) for binding in bindings)


def _asks_an_object(file: File, name: cst.Name, modules: Modules) -> bool:
    """Whether it is `vars(args)`: what an object has, no functions of a module."""
    call = file.parent(name)
    return (
        isinstance(call, cst.Call)
        and call.func is name
        and bool(call.args)
        and not modules.may_be(file, call.args[0].value)
    )
