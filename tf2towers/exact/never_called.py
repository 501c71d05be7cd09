"""Which functions of local modules nothing in a program names: what TF 2 has no more may stay in them.

A module that several scripts share has parts for each: `configure_tpu` beside what a GPU script calls. Names decide,
whatever they stand for: a function counts as called when its name stands anywhere in code that may run, as a name, an
attribute or a string; but not where it is TensorFlow's (`tf.train`), or certainly bound in another file. The main
script's own functions always count, and where names are looked up by other means (`getattr` with a variable, `globals`,
`eval`) every function does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from tf2towers.exact.tensorflow_versions import is_for_another
from tf2towers.names.meanings import Imported
from tf2towers.source.script import Script
from tf2towers.source.syntax import parse

if TYPE_CHECKING:
    from tf2towers.exact.file import File

_BY_OTHER_MEANS = frozenset(
    {"globals", "vars", "locals", "eval", "exec", "__dict__", "__import__", "import_module"}
)

#: "tpu" as a word of a name: `use_tpu`, `num_TPUs`, not `output`
_TPU = re.compile(r"(?:^|_)tpus?(?:_|$)", re.IGNORECASE)
#: a name that asks for a debugger: `debug`, `use_tfdbg`, `debug_port`, not `__debug__`
_DEBUGGER = re.compile(r"^(?!__|no).*(?:debug|dbg)", re.IGNORECASE)

Unit = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def never_called(files: Sequence[File], modules: Sequence[Script]) -> frozenset[ast.AST]:
    """The functions and classes at the top of local modules that no code which may run names.

    Args:
        files: the files of the program, its main script among them.
        modules: its modules without TensorFlow.
    """
    others = [parse(module.text, module.path) for module in modules]
    if any(_looks_names_up(tree) for tree in (*(file.tree for file in files), *others)):
        return frozenset()
    waiting: list[tuple[File, Unit]] = []
    named: set[str | tuple[File, str]] = set().union(*(_names(tree) for tree in others))
    for file in files:
        for statement in file.tree.body:
            if not file.main and _asks_for_main(statement):
                continue
            if isinstance(statement, Unit) and not statement.decorator_list and not file.main:
                waiting.append((file, statement))
            else:
                named |= _names_in(file, statement)
    while called := [(file, unit) for file, unit in waiting if {unit.name, (file, unit.name)} & named]:
        waiting = [found for found in waiting if found not in called]
        for file, unit in called:
            named |= _names_in(file, unit)
    return frozenset(unit for _, unit in waiting)


def stays_in(file: File, node: ast.AST, why: str) -> str | None:
    """What a use of something without counterpart may stay in, for nothing leads there; None where something may."""
    unit = next((around for around in file.ancestors(node) if around in file.program.never_called), None)
    if unit is not None:
        return f"{getattr(unit, 'name', 'a function')}, which nothing here calls"
    if only_as_main(file, node):
        return "what only runs where this file is the script itself"
    if is_for_another(file, node):
        return "what is for another TensorFlow than 1.15"
    if "tf.python.debug" in why and _only_where(file, node, _DEBUGGER):
        return "what is for a debugger"
    return "what is for TPUs" if "tf.contrib.tpu" in why and only_for_tpus(file, node) else None


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


def only_for_tpus(file: File, node: ast.AST) -> bool:
    """Whether a place is only reached where a test says that there is a TPU: `if FLAGS.use_tpu:`."""
    return _only_where(file, node, _TPU)


def _only_where(file: File, node: ast.AST, wanted_name: re.Pattern[str]) -> bool:
    """Whether a place is only reached where something with such a name is true, equal to a text, or not None."""
    inner = node
    for around in file.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp):
            body = around.body if isinstance(around.body, list) else [around.body]
            test, wanted = around.test, inner in body
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test, wanted = test.operand, inner not in [*body, around.test]
            test = _said(test)
            name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
            if wanted and wanted_name.search(name) and not (wanted_name is _DEBUGGER and _is_on(file, name)):
                return True
        inner = around
    return False


def _said(test: ast.expr) -> ast.expr:
    """What `x is not None` and `x == "cli"` say something of: x."""
    if isinstance(test, ast.Compare) and isinstance(test.comparators[0], ast.Constant) and len(test.ops) == 1:
        value = test.comparators[0].value
        if isinstance(test.ops[0], ast.IsNot) and value is None:
            return test.left
        if isinstance(test.ops[0], ast.Eq) and isinstance(value, str) and value:
            return test.left
    return test


def _is_on(file: File, name: str) -> bool:
    """Whether the program itself may switch it on: `DEBUG = True`, `f(debug=True)`, a flag that is on by default."""
    return any(
        _is_true(value)
        for each in file.program.files
        for node in ast.walk(each.tree)
        for value in _values_of(node, name)
    )


def _values_of(node: ast.AST, name: str) -> list[ast.expr | None]:
    """What one node gives such a name."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        named = {getattr(target, "id", getattr(target, "attr", None)) for target in targets}
        return [node.value] if name in named else []
    if isinstance(node, ast.keyword):
        return [node.value] if node.arg == name else []
    if isinstance(node, ast.arguments):
        defaults = zip(reversed([*node.posonlyargs, *node.args]), reversed(node.defaults), strict=False)
        keywords = zip(node.kwonlyargs, node.kw_defaults, strict=True)
        return [value for argument, value in (*defaults, *keywords) if argument.arg == name]
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        if str(node.args[0].value).lstrip("-").replace("-", "_") != name:
            return []
        return [*node.args[1:2], *(k.value for k in node.keywords if k.arg in ("default", "default_value"))]
    return []


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and bool(value.value)


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
        elif isinstance(node, ast.alias) and node.asname is not None:
            found.add(node.name.rpartition(".")[2])
    return found


def _looks_names_up(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name in _BY_OTHER_MEANS:
                return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
            of = node.args[0] if node.args else None
            if isinstance(of, ast.Name) and of.id in ("self", "FLAGS"):
                continue  # no module
            if len(node.args) < 2 or not isinstance(node.args[1], ast.Constant):
                return True
    return False
