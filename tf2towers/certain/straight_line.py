"""Statements that certainly run once, one after the other: those of a body, and of the `with` blocks in it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tf2towers.exact.file import File
from tf2towers.names.meanings import Assigned, Binding

#: what may run later than the text around it, or several times
_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef)


def straight_line(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body in their order; those of a `with` block stand behind it."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.With):
            yield from straight_line(statement.body)


def assignment_of(file: File, binding: Binding) -> ast.Assign | None:
    """The statement `name = value` of a binding."""
    if not isinstance(binding, Assigned):
        return None
    statement = file.parent(binding.value)
    return statement if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None


def reads_of(file: File, name: str, owner: ast.AST) -> list[ast.Name]:
    """Where a name of a function, or of the module, is read."""
    return [
        node
        for node in file.all(ast.Name)
        if node.id == name
        and isinstance(node.ctx, ast.Load)
        and (found := file.meanings.scope(node).lookup(name)) is not None
        and found[0].node is owner
    ]


def runs_at_once(file: File, node: ast.AST, within: ast.AST) -> bool:
    """Whether a part of a block runs when the block does: it is in no function that is only made there."""
    for around in file.ancestors(node):
        if around is within:
            return True
        if isinstance(around, _LATER):
            return False
    return False
