"""`train_op = None` at a script's very end: nothing reads it, so it says nothing of what the name was before."""

from __future__ import annotations

import ast
from dataclasses import replace

from tf2towers.exact.edits import Text
from tf2towers.names.meanings import Meanings
from tf2towers.source.script import Script


def without_last_bindings(script: Script) -> tuple[Script, str]:
    """A script without the constants that its last lines give to names which it has bound before; and these lines."""
    try:
        tree = ast.parse(script.text)
    except SyntaxError:  # Python 2
        return script, ""
    bound = {name: len(bindings) for name, bindings in Meanings(tree).module.bindings.items()}
    first: int | None = None
    while len(tree.body) > 1 and _binds_again(tree.body[-1], bound):
        last = tree.body.pop()
        if last.lineno <= (tree.body[-1].end_lineno or 0):
            return script, ""
        first = last.lineno
    if first is None:
        return script, ""
    end = Text(script.text).line_start(first)
    return replace(script, text=script.text[:end]), script.text[end:]


def _binds_again(statement: ast.stmt, bound: dict[str, int]) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and all(isinstance(target, ast.Name) and bound[target.id] > 1 for target in statement.targets)
    )
