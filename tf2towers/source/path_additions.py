"""Folders that a program adds to `sys.path`: constants, and what is made of `__file__` by os.path and pathlib.

A function that adds one of its parameters (`def add_path(path): sys.path.insert(0, path)`) adds what it is called with,
in the module that defines it and in those that import it.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tf2towers.source.nodes import Function, argument, last_name
from tf2towers.source.written_texts import WrittenTexts, is_sys_path

#: how far above the main script's folder the program may be started: `python tools/train.py`
_ABOVE = 3


@dataclass(frozen=True)
class Adders:
    """The functions of a program that add a parameter to `sys.path`: name -> its place and its name."""

    found: dict[str, tuple[int, str]] = field(default_factory=dict)

    def look(self, tree: ast.Module) -> None:
        """Finds the functions of a module that add one of their parameters to sys.path."""
        for function in ast.walk(tree):
            if isinstance(function, Function):
                names = [parameter.arg for parameter in function.args.args]
                for node in ast.walk(function):
                    for value in _added_paths(node):
                        if isinstance(value, ast.Name) and value.id in names:
                            self.found[function.name] = (names.index(value.id), value.id)

    def given(self, node: ast.AST) -> list[ast.expr]:
        """What a call of one of these functions adds to sys.path."""
        if not isinstance(node, ast.Call) or not self.found:
            return []
        if (parameter := self.found.get(last_name(node.func))) is None:
            return []
        given = argument(node, *parameter)
        return [given] if given is not None else []


def path_additions(tree: ast.Module, path: Path, home: Path, adders: Adders | None = None) -> list[Path]:
    """The folders, as far as they are seen, that exist.

    A relative one is taken from `home`, the main script's folder, in which the script is most often started; where it
    is not there, from the nearest folder above that has it.
    """
    adders = adders or Adders()
    found: list[Path] = []
    for value, names in _all_added_paths(tree, adders):
        text = WrittenTexts(names, path, home).of(value)
        for folder in _folders(text, home) if text else ():
            if folder not in found:
                found.append(folder)
    return found


def _folders(text: str, home: Path) -> Iterator[Path]:
    places = [home, *list(home.parents)[:_ABOVE]]
    if text in (".", "./"):  # where the program is started: here, or above
        yield from (place for place in places if len(place.parts) > 2)
        return
    for place in places:
        folder = Path(os.path.abspath(place / text))  # noqa: PTH100 - links are kept
        if folder.is_dir():
            yield folder
            return


def _all_added_paths(
    tree: ast.Module, adders: Adders
) -> Iterator[tuple[ast.expr, Mapping[str, list[ast.expr]]]]:
    """What is added, with what the names mean there: those of the module, and of the function it is in."""
    outer = _assigned(tree.body)
    pending: list[tuple[ast.AST, Mapping[str, list[ast.expr]]]] = [(tree, outer)]
    while pending:
        node, names = pending.pop(0)
        for value in [*_added_paths(node), *adders.given(node)]:
            yield value, names
        if isinstance(node, Function):
            names = {**names, **_assigned([inner for inner in ast.walk(node) if isinstance(inner, ast.stmt)])}
        pending += [(child, names) for child in ast.iter_child_nodes(node)]


def _added_paths(node: ast.AST) -> list[ast.expr]:
    """What a node adds to sys.path."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if is_sys_path(node.func.value):
            if node.func.attr == "append" and len(node.args) == 1:
                return [node.args[0]]
            if node.func.attr == "insert" and len(node.args) == 2:
                return [node.args[1]]
            if node.func.attr == "extend" and node.args:
                return _elements(node.args[0])
    if isinstance(node, ast.AugAssign) and is_sys_path(node.target):
        return _elements(node.value)
    if isinstance(node, ast.Assign) and any(is_sys_path(target) for target in node.targets):
        return _elements(node.value)
    return []


def _elements(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.List | ast.Tuple):
        return list(node.elts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _elements(node.left) + _elements(node.right)
    return []


def _assigned(statements: list[ast.stmt]) -> dict[str, list[ast.expr]]:
    """What statements bind a name to."""
    found: dict[str, list[ast.expr]] = {}
    for statement in statements:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(statement.value)
        elif isinstance(statement, ast.For) and isinstance(statement.target, ast.Name):
            found.setdefault(statement.target.id, []).extend([statement.iter] * 2)  # not one value
    return found
