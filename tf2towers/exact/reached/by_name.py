"""What a test asks for by its name: a TPU, a debugger."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from tf2towers.exact.reached.branches import branches_around
from tf2towers.source.nodes import last_name

if TYPE_CHECKING:
    from tf2towers.exact.file import File

#: "tpu" as a word of a name: `use_tpu`, `num_TPUs`, not `output`
_TPU = re.compile(r"(?:^|_)tpus?(?:_|$)", re.IGNORECASE)
#: a name that asks for a debugger: `debug`, `use_tfdbg`, `debug_port`, not `__debug__`
_DEBUGGER = re.compile(r"^(?!__|no).*(?:debug|dbg)", re.IGNORECASE)


def only_for_tpus(file: File, node: ast.AST) -> bool:
    """Whether a place is only reached where a test says that there is a TPU: `if FLAGS.use_tpu:`."""
    return _only_where(file, node, _TPU)


def only_for_debuggers(file: File, node: ast.AST) -> bool:
    """Whether a place is only reached where a test asks for a debugger that nothing switches on: `if FLAGS.debug:`."""
    return _only_where(file, node, _DEBUGGER)


def _only_where(file: File, node: ast.AST, wanted_name: re.Pattern[str]) -> bool:
    """Whether a place is only reached where something with such a name is true, equal to a text, or not None."""
    for test, is_yes in branches_around(file, node):
        denied = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else None
        name = last_name(_said(denied or test))
        if is_yes == (denied is None) and wanted_name.search(name):
            if wanted_name is not _DEBUGGER or not _is_on(file, name):
                return True
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
        named = {last_name(target) for target in targets}
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
