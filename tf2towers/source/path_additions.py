"""Folders that a script adds to `sys.path`: constants, and what is made of `__file__` by os.path and pathlib."""

from __future__ import annotations

import ast
import os
from pathlib import Path

_UNCHANGED = frozenset(
    {"abspath", "realpath", "normpath", "expanduser", "resolve", "absolute", "Path", "str", "fspath"}
)


def path_additions(tree: ast.Module, path: Path, home: Path) -> list[Path]:
    """The folders, as far as they can be told, that exist.

    A relative one is taken from `home`, the main script's folder, in which the script is most often started.
    """
    given = [value for node in ast.walk(tree) for value in _added(node)]
    if not given:
        return []
    names = _constants(tree)
    found: list[Path] = []
    for value in given:
        text = _value(value, names, path, 0)
        if text:
            folder = Path(os.path.abspath(home / text))  # noqa: PTH100 - links are kept
            if folder.is_dir() and folder not in found:
                found.append(folder)
    return found


def _added(node: ast.AST) -> list[ast.expr]:
    """What a node adds to sys.path."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_sys_path(node.func.value):
        if node.func.attr == "append" and len(node.args) == 1:
            return [node.args[0]]
        if node.func.attr == "insert" and len(node.args) == 2:
            return [node.args[1]]
        if node.func.attr == "extend" and node.args and isinstance(node.args[0], ast.List | ast.Tuple):
            return list(node.args[0].elts)
    if isinstance(node, ast.AugAssign) and _is_sys_path(node.target):
        if isinstance(node.value, ast.List | ast.Tuple):
            return list(node.value.elts)
    return []


def _is_sys_path(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "path"
        and isinstance(node.value, ast.Name)
        and node.value.id == "sys"
    )


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """What the module's own statements assign to a name, for names assigned once."""
    found: dict[str, list[ast.expr]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(statement.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _value(node: ast.expr, names: dict[str, ast.expr], path: Path, depth: int) -> str | None:
    """The path that an expression gives; None where it cannot be told."""
    if depth > 20:
        return None

    def of(one: ast.expr) -> str | None:
        return _value(one, names, path, depth + 1)

    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        if node.id == "__file__":
            return str(path)
        return of(names[node.id]) if node.id in names else None
    if isinstance(node, ast.BinOp):
        left, right = of(node.left), of(node.right)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Add):
            return left + right
        return str(Path(left) / right) if isinstance(node.op, ast.Div) else None
    if isinstance(node, ast.Attribute):
        if node.attr == "parent":
            inner = of(node.value)
            return os.path.dirname(inner) if inner else None  # noqa: PTH120 - of a text
        return {"pardir": "..", "curdir": "."}.get(node.attr)
    if isinstance(node, ast.Call) and not node.keywords:
        return _of_call(node, [of(one) for one in node.args], of)
    return None


def _of_call(node: ast.Call, given: list[str | None], of: object) -> str | None:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name == "getcwd" and not given:
        return "."
    if not given and isinstance(node.func, ast.Attribute) and name in _UNCHANGED and callable(of):
        found = of(node.func.value)
        return found if isinstance(found, str) else None
    texts = [one for one in given if one is not None]
    if not texts or len(texts) != len(given):
        return None
    if name in _UNCHANGED and len(texts) == 1:
        return texts[0]
    if name == "dirname" and len(texts) == 1:
        return os.path.dirname(texts[0])  # noqa: PTH120 - of a text
    return str(Path(*texts)) if name == "join" else None
