"""Helpers for single nodes of Python's `ast`: dotted names, arguments of calls, imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef


def root_of(node: ast.AST) -> ast.AST:
    """The first node of a dotted name: `tf` of `tf.train.Saver`; of any other node, itself."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def last_name(node: ast.AST) -> str:
    """The last part of a dotted name: `Saver`; empty for a node that is no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def dotted(node: ast.AST) -> str | None:
    """A dotted name as a string: `tf.train.Saver`; None if its first part is not a name."""
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return None if base is None else f"{base}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else None


def argument(call: ast.Call, place: int, *keywords: str) -> ast.expr | None:
    """An argument of a call, by one of its keywords or by its position."""
    for keyword in call.keywords:
        if keyword.arg in keywords:
            return keyword.value
    return call.args[place] if len(call.args) > place else None


def module_of(statement: ast.ImportFrom) -> str:
    """The module of a `from` import, with the dots of a relative import: `..model`."""
    return "." * statement.level + (statement.module or "")


def imported(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[ast.alias, str]]:
    """Each alias of an import, and its dotted name: `model.loss`, or `.loss` of `.`."""
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            yield alias, alias.name
        else:
            module = module_of(statement)
            yield alias, module + alias.name if module.endswith(".") else f"{module}.{alias.name}"


def bound_by(alias: ast.alias) -> str:
    """The name that an import binds: `a` for `import a.b`."""
    return alias.asname or alias.name.partition(".")[0]
