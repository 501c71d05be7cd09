"""What a run of the program reaches: a name that TF 2 has lost may stay in code that no run reaches.

A module that several scripts share has functions for each: `configure_tpu` beside those of GPU scripts. A script has
functions that were copied with it, for other ways to train. Only names decide, whatever they mean. A function
counts as called when its name occurs anywhere in code that may run, as a name, an attribute or a string, but for
TensorFlow's (`tf.train`). Code that may run is what a file's top level runs, with the defaults, bases and class bodies
there, and what is called from it. Where such code looks names up by other means (`getattr` with a variable, `globals`,
`eval`, an import by a text) every function counts as called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst
import libcst.matchers as m

from tf2towers.codemod import nodes
from tf2towers.codemod.meanings import Imported
from tf2towers.codemod.program import File, found_once
from tf2towers.codemod.symbols import session_names
from tf2towers.report.result import FindingKind
from tf2towers.source.known_modules import is_known

#: builtins that look up names
_LOOK_UP = frozenset({"globals", "vars", "locals", "eval", "exec", "__import__", "getattr"})
#: attributes and functions of modules that do, or that make modules
_BY_OTHER_MEANS = frozenset({
    "import_module", "__subclasses__", "getmembers", "load_source", "load_module", "SourceFileLoader",
    "module_from_spec", "LazyLoader", "import_string", "resolve_name",
})  # fmt: skip
#: what has all modules, and functions that run what the script's own module has, whatever it is
ALL_OF_A_MODULE = frozenset({
    "sys.modules", "inspect.getmodule", "gc.get_objects", "unittest.main", "tf.test.main", "doctest.testmod",
    "absl.testing.absltest.main", "fire.Fire", "nose.main", "nose.runmodule", "pytest.main",
})  # fmt: skip
#: `if __name__ == "__main__":`, with nothing for other cases
_MAIN_NAME = m.SimpleString('"__main__"') | m.SimpleString("'__main__'")
IF_MAIN = m.If(m.Comparison(m.Name("__name__"), [m.ComparisonTarget(m.Equal(), _MAIN_NAME)]), orelse=None)

Unit = cst.FunctionDef | cst.ClassDef


def find_unreached_context(file: File, node: cst.CSTNode) -> str | None:
    """The unreached code that a symbol without counterpart may stay in, in words; None if a run may reach it."""
    if (unit := never_called_around(file, node)) is not None:
        return f"{unit.name.value}, which nothing here calls"
    if _only_as_main(file, node):
        return "code that only runs if this file is the script itself"
    return None


def note_site(
    file: File,
    node: cst.CSTNode,
    code: str,
    message: str,
    *,
    advice: str = "",
    stays: str = "it stays in {}, and raises where it is reached",
    kind: FindingKind = "left",
) -> None:
    """Notes a site as left, with advice; if no run reaches the site, it is only a note.

    Args:
        stays: the words of the note on a site that no run reaches.
    """
    if (where := find_unreached_context(file, node)) is None:
        file.note(node, code, message + advice, kind)
    else:
        file.note(node, code, f"{message}; {stays.format(where)}", "note")


# -- functions that nothing names --------------------------------------------------------------------------------------


@found_once
def never_called(main: File) -> frozenset[cst.CSTNode]:
    """The functions and classes at the top of a program's modules that no code names, of the code that may run."""
    if main.program.unreadable:
        return frozenset()
    files = main.program.all_files
    waiting: list[tuple[File, Unit]] = []
    new: list[tuple[File, cst.CSTNode]] = []
    for file in files:
        # a notebook's cells may call by magics (%time f()), and are run by hand
        all_called = file.main and (file.script.notebook is not None or not _is_script(file))
        for statement in file.body:
            if not file.main and m.matches(statement, IF_MAIN):
                continue
            if isinstance(statement, Unit) and not (all_called or _is_called_unnamed(file, statement)):
                waiting.append((file, statement))
                new += ((file, node) for node in evaluated_nodes(statement))
            else:
                new += ((file, node) for node in nodes.walk(statement))
    of_tensorflow = {file: set(nodes.walk(*(symbol for symbol, _ in file.symbols))) for file in files}
    runs: list[tuple[File, cst.CSTNode]] = []
    named = {"main"}  # tf.app.run() calls it
    while new:
        runs += new
        own = (node for file, node in new if node not in of_tensorflow[file])
        named |= {name for node in own for name in _names_of(node)}
        called = [(file, unit) for file, unit in waiting if unit.name.value in named]
        waiting = [found for found in waiting if found not in called]
        new = [(file, node) for file, unit in called for node in nodes.walk(unit)]
    handed_on = any(_is_module_handed_on(file, node) for file, node in runs)
    if any(_looks_names_up(file, node, handed_on) for file, node in runs):
        return frozenset()
    return frozenset(unit for _, unit in waiting)


def never_called_around(file: File, node: cst.CSTNode) -> Unit | None:
    """The function or class around a node that would have to be called first, if nothing calls it; else None.

    What runs where it is defined is reached all the same: `class Cell(tf.contrib.gone.Cell):`, `def f(x=tf.gone()):`.
    """
    in_a_body = False
    for inner, around in file.steps_outwards(node):
        in_a_body = in_a_body or (isinstance(around, cst.FunctionDef) and inner in nodes.block(around))
        if isinstance(around, Unit) and around in never_called(file.program.main):
            return around if in_a_body else None
    return None


def evaluated_nodes(statement: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Every node that is evaluated when a statement of a module runs: bodies of functions are not."""
    pending = [statement]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, cst.FunctionDef):
            pending += [*nodes.decorators(node), *nodes.parameters(node), *filter(None, [node.returns])]
        elif isinstance(node, cst.Lambda):
            pending += nodes.defaults(node)
        else:
            pending += nodes.children(node)


def is_named(file: File, imported: nodes.Alias) -> bool:
    """True if anything in a program names what an import binds: code, another import, a text (`__all__`)."""
    bound = nodes.bound_by(imported)
    for each in file.program.all_files:
        froms = each.all(cst.ImportFrom)
        local = (node for node in froms if not _is_library(each, nodes.module_of(node)))
        taken = (alias for node in local for alias in nodes.aliases(node))
        names = (alias for alias in taken if alias is not imported)
        if (
            any(name.value == bound for name in each.all(cst.Name))
            or any(attribute.attr.value == bound for attribute in each.all(cst.Attribute))
            or bound in each.tree.texts
            or bound in map(nodes.name_of, names)
        ):
            return True
    return False


def _is_library(file: File, module: str) -> bool:
    """True if a module that a file imports is none of the program's."""
    return is_known(module.partition(".")[0]) and not file.program.imports.has(file.path, module)


def _is_script(file: File) -> bool:
    """True if a file does something when it is run; else it is a module that other programs call."""
    own = {unit.name.value for unit in file.body if isinstance(unit, Unit)}
    modules = file.program.imports.imports_of(file.path)
    local = {dotted.lstrip(".").partition(".")[0] for dotted in modules}
    for node in nodes.walk(*(each for each in file.body if not isinstance(each, Unit))):
        called = file.called(node)
        if called in session_names() or called == "tf.app.run" or nodes.last_name(node) == "__name__":
            return True
        if called.lstrip(".").partition(".")[0] in own | local - {""}:
            return True
    return False


def _is_called_unnamed(file: File, unit: Unit) -> bool:
    """True if something may call a function or class without its name: a decorator, Python, a metaclass, a base."""
    if isinstance(unit, cst.FunctionDef):
        return bool(unit.decorators) or (unit.name.value.startswith("__") and unit.name.value.endswith("__"))
    names = [file.canonical(base) or "" for base in nodes.bases(unit)]
    own_bases = any(name != "builtins.object" and not name.startswith("tf.") for name in names)
    registers = "__metaclass__" in nodes.names_in(unit)
    return bool(unit.decorators or unit.keywords or own_bases or registers)


def _names_of(node: cst.CSTNode) -> Iterator[str]:
    """The name that a node is, or those in a text; of an import what gets another name."""
    yield nodes.last_name(node)
    if isinstance(value := nodes.literal(node), str):
        yield from (value, *re.split(r"[.:]", value))  # "models.vgg:build"
    elif isinstance(node, nodes.Import):
        renamed = (alias for alias in nodes.aliases(node) if nodes.asname_of(alias) is not None)
        yield from (nodes.name_of(alias).rpartition(".")[2] for alias in renamed)


def _looks_names_up(file: File, node: cst.CSTNode, handed_on: bool) -> bool:
    """True if a node may take functions by names that are not written in it.

    A module is asked for what it has only where the program does more with one than to take something from it.
    """
    if not isinstance(node, nodes.Symbol):
        return False
    name, call = nodes.last_name(node), file.parent(node)
    bindings = file.meanings.bindings(node)  # `vars = tf.trainable_variables()`
    is_own = bool(bindings) and not any(isinstance(binding, Imported) for binding in bindings)
    if isinstance(node, cst.Attribute):
        of_builtins = name in _LOOK_UP and "builtin" in nodes.last_name(node.value)
        if of_builtins or (name == "__dict__" and handed_on):
            return True
    elif name in _LOOK_UP and not is_own:
        given = nodes.positional(call) if isinstance(call, cst.Call) and call.func is node else []
        if name not in ("vars", "getattr") or len(given) < (2 if name == "getattr" else 1):
            return True
        return handed_on and not (name == "getattr" and nodes.is_literal(given[1]))
    return name in _BY_OTHER_MEANS or file.canonical(node) in ALL_OF_A_MODULE


def _is_module_handed_on(file: File, node: cst.CSTNode) -> bool:
    """True if a node is a module of the program, or may be one by a star, of which nothing is taken at once."""
    around = file.parent(node) if isinstance(node, nodes.Symbol) and file.is_read(node) else None
    if around is None or (isinstance(around, cst.Attribute) and around.attr.value != "__dict__"):
        return False
    bindings, canonical = file.meanings.bindings(node), file.canonical(node)
    if nodes.is_name(node) and not bindings and file.meanings.star_imports:
        return canonical is None
    meant = {canonical, *(each.target for each in bindings if isinstance(each, Imported))}
    return not meant.isdisjoint(file.program.imports.imports_of(file.path))


def _only_as_main(file: File, node: cst.CSTNode) -> bool:
    """True if a node is in the `if __name__ == "__main__":` of a module that the script imports."""
    if file.main or any("runpy" in each.script.text for each in file.program.files):
        return False
    for inner, around in file.steps_outwards(node):
        if m.matches(around, IF_MAIN) and inner in nodes.block(around):
            return True
    return False


def branches_around(file: File, node: cst.CSTNode) -> Iterator[tuple[cst.BaseExpression, bool]]:
    """The tests of each `if` that a node is in, innermost first, and whether it is where the test says yes."""
    for inner, around in file.steps_outwards(node):
        if isinstance(around, nodes.Branch) and inner is not around.test:
            yes = nodes.block(around) if isinstance(around, cst.If) else [around.body]
            yield around.test, inner in yes


# -- imports and loads without which the program goes on --------------------------------------------------------------


def may_fail(file: File, node: cst.CSTNode) -> bool:
    """True if the program goes on if an import or a load fails, or never reaches it."""
    return is_guarded(file, node) or find_unreached_context(file, node) is not None


def is_guarded(file: File, node: cst.CSTNode) -> bool:
    """True if the program goes on without the module: the import is in a `try` that catches its failure."""
    for inner, around in file.steps_outwards(node):
        if isinstance(around, cst.Try) and around.handlers and inner not in nodes.block(around.finalbody):
            if not (
                inner in nodes.block(around)
                and all(_ends_program(nodes.block(each)) for each in around.handlers)
            ):
                return True
    return False


def _ends_program(body: list[nodes.Statement]) -> bool:
    """True if statements end the program, as far as the last of them says: `raise`, `sys.exit()`."""
    last = body[-1]
    if isinstance(last, cst.Expr) and isinstance(last.value, cst.Call):
        return nodes.dotted(last.value.func) in ("sys.exit", "exit", "quit", "os._exit")
    return isinstance(last, cst.Raise)
