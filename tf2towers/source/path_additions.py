"""Finds the folders that a program adds to `sys.path`, given as constants or by os.path from `__file__`."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from tf2towers.source.nodes import Function
from tf2towers.source.written_texts import WrittenTexts, is_sys_path

#: how far above the main script's folder the program may be started: `python tools/train.py`
_ABOVE = 3


def path_additions(tree: ast.Module, path: Path, home: Path) -> list[Path]:
    """The existing folders that a module visibly adds to `sys.path`.

    A relative path is resolved from `home`, the main script's folder, where the script is usually started; if it does
    not exist there, from the nearest folder above that has it.
    """
    found: list[Path] = []
    for value, names in _all_added_paths(tree):
        text = WrittenTexts(names, path).of(value)
        for folder in _folders(text, home) if text else ():
            if folder not in found:
                found.append(folder)
    return found


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


def _all_added_paths(tree: ast.Module) -> Iterator[tuple[ast.expr, Mapping[str, list[ast.expr]]]]:
    """The added expressions, each with the values of the names in its module and function."""
    outer = _assigned(tree.body)
    pending: list[tuple[ast.AST, Mapping[str, list[ast.expr]]]] = [(tree, outer)]
    while pending:
        node, names = pending.pop(0)
        match node:
            case ast.Call(func=ast.Attribute(value=path, attr="append"), args=[value]) if is_sys_path(path):
                yield value, names
            case ast.Call(func=ast.Attribute(value=path, attr="insert"), args=[_, value]) if is_sys_path(
                path
            ):
                yield value, names
        if isinstance(node, Function):
            names = {**names, **_assigned([inner for inner in ast.walk(node) if isinstance(inner, ast.stmt)])}
        pending += [(child, names) for child in ast.iter_child_nodes(node)]


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
