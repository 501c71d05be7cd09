"""Which functions of a program nothing in it names: what TF 2 has no more may stay in them.

A module that several scripts share has parts for each: `configure_tpu` beside what a GPU script calls. So has a
script: functions that were copied with it, for another way to train. Names decide, whatever they stand for: a function
counts as called when its name stands anywhere in code that may run, as a name, an attribute or a string; but not where
it is TensorFlow's (`tf.train`), or certainly bound in another file. Code that may run is what a file's top level runs,
with the defaults, bases and class bodies there, and what is called from it. Where such code looks names up by other
means (`getattr` with a variable, `globals`, `eval`, an import by a text) every function counts as called.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from tf2towers.exact.lookup import sessions
from tf2towers.exact.reached.by_default import asked_for_by, may_be_asked_for
from tf2towers.exact.reached.by_name import only_for_debuggers, only_for_tpus
from tf2towers.exact.reached.modules_as_values import Modules
from tf2towers.exact.tensorflow_versions import is_for_another
from tf2towers.names.meanings import Imported
from tf2towers.report.result import FindingKind
from tf2towers.source.nodes import Function, bound_by, last_name

if TYPE_CHECKING:
    from tf2towers.exact.file import File

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

Unit = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def never_called(files: Sequence[File]) -> frozenset[ast.AST]:
    """The functions and classes at the top of modules that no code which may run names.

    Args:
        files: all files of the program, those without TensorFlow, too.
    """
    waiting: list[tuple[File, Unit]] = []
    runs: list[tuple[File, ast.AST]] = []
    registered = _registered(files)
    named: set[str | tuple[File, str]] = set()
    for file in files:
        # a notebook's cells may call by magics (%time f()), and are run by hand
        all_called = file.main and (file.script.notebook is not None or not _is_script(file))
        if file.main:
            named.add("main")  # tf.app.run() calls it
        for statement in file.tree.body:
            if not file.main and _asks_for_main(statement):
                continue
            if isinstance(statement, Unit) and not (all_called or _is_called_unnamed(statement, registered)):
                waiting.append((file, statement))
                runs += ((file, part) for part in _run_at_definition(statement))
            else:
                runs.append((file, statement))
    new = runs
    while new:
        named = named.union(*(_names_in(file, part) for file, part in new))
        new = [(file, unit) for file, unit in waiting if {unit.name, (file, unit.name)} & named]
        waiting = [found for found in waiting if found not in new]
        runs = [*runs, *new]
    modules = Modules([file.path for file in files], runs)
    if any(_looks_names_up(file, part, modules) for file, part in runs):
        return frozenset()
    return frozenset(unit for _, unit in waiting)


def is_named(file: File, imported: ast.alias) -> bool:
    """Whether anything in a program names what an import binds: code, another import, a text (`__all__`)."""
    bound = bound_by(imported)
    return any(
        bound in words
        for each in file.program.all_files
        for words in (
            {name.id for name in each.all(ast.Name)},
            {attribute.attr for attribute in each.all(ast.Attribute)},
            {text.value for text in each.all(ast.Constant)},
            {
                alias.name
                for node in each.all(ast.ImportFrom)
                for alias in node.names
                if alias is not imported
            },
        )
    )


def _is_script(file: File) -> bool:
    """Whether a file does something when it is run; else it is a module, given by itself, for others to call."""
    runs = [statement for statement in file.tree.body if not isinstance(statement, Unit)]
    if any(isinstance(node, ast.Name) and node.id == "__name__" for part in runs for node in ast.walk(part)):
        return True
    local = {dotted.lstrip(".").partition(".")[0] for dotted in file.program.imports.imports_of(file.path)}
    own = {unit.name for unit in file.tree.body if isinstance(unit, Unit)}
    for call in (node for part in runs for node in ast.walk(part) if isinstance(node, ast.Call)):
        name = file.canonical(call.func) or ""
        if name in sessions() or name == "tf.app.run" or name in own:
            return True
        if name.lstrip(".").partition(".")[0] in local:
            return True
    return False


def _is_called_unnamed(unit: Unit, registered: Set[str]) -> bool:
    """Whether something may call it that does not name it: a decorator, Python itself, a register of classes."""
    if isinstance(unit, ast.ClassDef):
        return bool(unit.decorator_list) or unit.name in registered
    return bool(unit.decorator_list) or (unit.name.startswith("__") and unit.name.endswith("__"))


def _registered(files: Sequence[File]) -> set[str]:
    """The names of classes that are told to another one when they are defined: by a metaclass, `__init_subclass__`."""
    classes = [
        statement for file in files for statement in file.tree.body if isinstance(statement, ast.ClassDef)
    ]
    found: set[str] = set()
    while more := [each for each in classes if each.name not in found and _is_registered(each, found)]:
        found.update(each.name for each in more)
    return found


def _is_registered(defined: ast.ClassDef, registered: Set[str]) -> bool:
    given = {
        target.id
        for node in defined.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    methods = {node.name for node in defined.body if isinstance(node, Function)}
    metaclass = next((ast.unparse(keyword.value) for keyword in defined.keywords), "ABCMeta")
    return (
        not metaclass.endswith("ABCMeta")
        or "__metaclass__" in given
        or "__init_subclass__" in methods
        or any(isinstance(base, ast.Call) for base in defined.bases)
        or any(last_name(base) in registered for base in defined.bases)
    )


def _run_at_definition(unit: Unit) -> Iterator[ast.AST]:
    """What of a function or class runs where it is defined: decorators, defaults, annotations, a class's own body.

    The name of a base is none: no method of it is called.
    """
    yield from unit.decorator_list
    if isinstance(unit, ast.ClassDef):
        yield from (base for base in unit.bases if not isinstance(base, ast.Name | ast.Attribute))
        yield from unit.keywords
        for statement in unit.body:
            yield from _run_at_definition(statement) if isinstance(statement, Unit) else [statement]
    else:
        yield unit.args
        if unit.returns is not None:
            yield unit.returns


def stays_in(file: File, node: ast.AST, why: str) -> str | None:
    """What a use of something without counterpart may stay in, for nothing leads there; None where something may."""
    if (unit := never_called_around(file, node)) is not None:
        return f"{unit.name}, which nothing here calls"
    if only_as_main(file, node):
        return "what only runs where this file is the script itself"
    if is_for_another(file, node):
        return "what is for another TensorFlow than 1.15"
    if "tf.python.debug" in why and only_for_debuggers(file, node):
        return "what is for a debugger"
    if "tf.contrib.tpu" in why and only_for_tpus(file, node):
        return "what is for TPUs"
    test = asked_for_by(file, node) if may_be_asked_for(why) else None
    return f"what `{test}` asks for, which is off by default" if test is not None else None


def leave(
    file: File,
    node: ast.expr | ast.stmt,
    code: str,
    message: str,
    *,
    why: str = "",
    advice: str = "",
    stays: str = "it stays in {}, and raises where it is reached",
    kind: FindingKind = "left",
) -> None:
    """Notes what is left at a place, and what to do there; where nothing leads to it, it is only told.

    Args:
        why: the reason, where it says for what a place has to be reached (`stays_in`).
        stays: what is told then.
    """
    if (where := stays_in(file, node, why)) is None:
        file.note(node, code, message + advice, kind)
    else:
        file.note(node, code, f"{message}; {stays.format(where)}", "note")


def never_called_around(file: File, node: ast.AST) -> Unit | None:
    """The function or class that has to be called before a place is reached, where nothing does.

    What runs where it is defined is reached all the same: `class Cell(tf.contrib.gone.Cell):`, `def f(x=tf.gone()):`.
    """
    inner, in_a_body = node, False
    for around in file.ancestors(node):
        in_a_body = in_a_body or (isinstance(around, Function) and inner in around.body)
        if isinstance(around, Unit) and around in file.program.never_called:
            return around if in_a_body else None
        inner = around
    return None


def only_as_main(file: File, node: ast.AST) -> bool:
    """Whether a place is in the `if __name__ == "__main__":` of a module that the script imports."""
    if file.main or any("runpy" in each.script.text for each in file.program.files):
        return False
    inner: ast.AST = node
    for around in file.ancestors(node):
        if isinstance(around, ast.If) and inner in around.body and _asks_for_main(around):
            return True
        inner = around
    return False


def _asks_for_main(statement: ast.stmt) -> bool:
    """Whether it is `if __name__ == "__main__":`, with nothing for other cases."""
    if not isinstance(statement, ast.If) or statement.orelse or not isinstance(statement.test, ast.Compare):
        return False
    sides = {ast.unparse(side) for side in (statement.test.left, *statement.test.comparators)}
    return sides == {"__name__", "'__main__'"} and isinstance(statement.test.ops[0], ast.Eq)


def _names_in(file: File, part: ast.AST) -> set[str | tuple[File, str]]:
    """The names in a part of a file, without TensorFlow's; with the file where they are certainly bound in it."""
    nodes = set(ast.walk(part))
    of_tensorflow = {node for symbol, _ in file.symbols if symbol in nodes for node in ast.walk(symbol)}
    own = {
        node
        for node in nodes
        if isinstance(node, ast.Name)
        and (bindings := file.meanings.bindings(node))
        and not any(isinstance(binding, Imported) for binding in bindings)
    }
    found: set[str | tuple[File, str]] = {(file, node.id) for node in own}
    return found | _names(part, of_tensorflow | own)


def _names(tree: ast.AST, without: Set[ast.AST] = frozenset()) -> set[str]:
    """Every name, attribute and string in a part of a module; of imports only what gets another name."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if node in without:
            continue
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
            if re.fullmatch(r"[\w.:]+", node.value):  # "models.vgg:build"
                found.update(re.split(r"[.:]", node.value))
        elif isinstance(node, ast.alias) and node.asname is not None:
            found.add(node.name.rpartition(".")[2])
    return found


def _looks_names_up(file: File, part: ast.AST, modules: Modules) -> bool:
    """Whether a part of a file may take functions by names that do not stand in it."""
    for node in ast.walk(part):
        if isinstance(node, ast.Name):
            if node.id in _LOOK_UP | _BY_OTHER_MEANS and not _is_own(file, node):
                if node.id != "vars" or not _asks_an_object(file, node, modules):
                    return True
        elif isinstance(node, ast.Attribute):
            if node.attr == "__dict__":
                if modules.may_be(file, node.value):
                    return True
            elif node.attr in _BY_OTHER_MEANS or (
                node.attr in _LOOK_UP and "builtin" in ast.unparse(node.value)
            ):
                return True
        if isinstance(node, ast.Name | ast.Attribute) and file.canonical(node) in _RUN_ALL:
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
            if len(node.args) < 2 or modules.may_be(file, node.args[0]):
                if len(node.args) < 2 or not isinstance(node.args[1], ast.Constant):
                    return True
    return False


def _is_own(file: File, name: ast.Name) -> bool:
    """Whether a name is the file's own: `vars = tf.trainable_variables()`."""
    bindings = file.meanings.bindings(name)
    return bool(bindings) and not any(isinstance(binding, Imported) for binding in bindings)


def _asks_an_object(file: File, name: ast.Name, modules: Modules) -> bool:
    """Whether it is `vars(args)`: what an object has, no functions of a module."""
    call = file.parent(name)
    return (
        isinstance(call, ast.Call)
        and call.func is name
        and bool(call.args)
        and not modules.may_be(file, call.args[0])
    )
