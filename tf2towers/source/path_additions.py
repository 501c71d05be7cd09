"""Finds the folders that a program adds to `sys.path`: constants, or of `__file__`."""

from __future__ import annotations

import ast
import copy
import os
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

from tf2towers.source.ast_nodes import Function, last_name
from tf2towers.source.written_texts import WrittenTexts, is_sys_path

#: how far above the main script's folder the program may be started: `python tools/train.py`
_ABOVE = 3


def path_additions(tree: ast.Module, path: Path, home: Path, adders: Set[str] = frozenset()) -> list[Path]:
    """The existing folders that a module visibly adds to `sys.path`, or by `adders`.

    A relative path is resolved from `home`, the main script's folder, where the script is usually
    started; if it does not exist there, from the nearest folder above that has it.
    """
    found: list[Path] = []
    for value, names in _all_added_paths(tree, adders):
        text = WrittenTexts(names, path).of(value)
        for folder in _folders(text, home) if text else ():
            if folder not in found:
                found.append(folder)
    return found


def path_adders(tree: ast.Module) -> set[str]:
    """The names of a module's functions that add their first argument to `sys.path`."""
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.args.args and _adds(node, node.args.args[0].arg)
    }


def _adds(function: ast.FunctionDef, name: str) -> bool:
    added = (_added(node) for node in ast.walk(function))
    return any(isinstance(value, ast.Name) and value.id == name for value in added)


def _added(node: ast.AST) -> ast.expr | None:
    """What `sys.path.append(...)` or `sys.path.insert(0, ...)` adds."""
    match node:
        case ast.Call(func=ast.Attribute(value=path, attr="append"), args=[value]) if is_sys_path(path):
            return value
        case ast.Call(func=ast.Attribute(value=path, attr="insert"), args=[_, value]) if is_sys_path(path):
            return value
    return None


def _folders(text: str, home: Path) -> Iterator[Path]:
    places = [home, *list(home.parents)[:_ABOVE]]
    if text in (".", "./"):  # the folder where the program is started: this one, or one above
        yield from (place for place in places if len(place.parts) > 2)
        return
    for place in places:
        folder = Path(os.path.abspath(place / text))  # noqa: PTH100 - links are kept
        if folder.is_dir():
            yield folder
            return


def _all_added_paths(
    tree: ast.Module, adders: Set[str]
) -> Iterator[tuple[ast.expr, Mapping[str, list[ast.expr]]]]:
    """The added expressions, each with the values of the names in its module and function."""
    outer = _assigned(tree.body)
    classes = {node.name: _assigned(node.body) for node in tree.body if isinstance(node, ast.ClassDef)}
    pending: list[tuple[ast.AST, Mapping[str, list[ast.expr]]]] = [(tree, outer)]
    while pending:
        node, names = pending.pop(0)
        value = _added(node)
        if isinstance(node, ast.Call) and last_name(node.func) in adders and node.args:
            value = node.args[0]
        if value is not None:
            yield _of_class(value, names, classes)
        if isinstance(node, Function):
            names = {**names, **_assigned([inner for inner in ast.walk(node) if isinstance(inner, ast.stmt)])}
        pending += [(child, names) for child in ast.iter_child_nodes(node)]


def _of_class(
    value: ast.expr, names: Mapping[str, list[ast.expr]], classes: Mapping[str, dict[str, list[ast.expr]]]
) -> tuple[ast.expr, Mapping[str, list[ast.expr]]]:
    """An expression whose `Config.root` or `cfg.root` is the name that the class binds."""
    used: dict[str, list[ast.expr]] = {}

    class Attributes(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            self.generic_visit(node)
            made = names.get(node.value.id, []) if isinstance(node.value, ast.Name) else []
            kind = made[0].func if len(made) == 1 and isinstance(made[0], ast.Call) else node.value
            bound = classes.get(kind.id, {}) if isinstance(kind, ast.Name) else {}
            if node.attr not in bound:
                return node
            used.update(bound)
            return ast.Name(node.attr, ast.Load())

    changed = Attributes().visit(copy.deepcopy(value)) if classes else value
    return changed, {**names, **used}


def _assigned(statements: list[ast.stmt]) -> dict[str, list[ast.expr]]:
    """Name -> the values that statements bind it to."""
    found: dict[str, list[ast.expr]] = {}
    for statement in statements:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(statement.value)
        elif isinstance(statement, ast.For) and isinstance(statement.target, ast.Name):
            found.setdefault(statement.target.id, []).extend([statement.iter] * 2)  # two: not one value
    return found
