"""Folders that a program adds to `sys.path`: constants, and what is made of `__file__` by os.path and pathlib.

A function that adds one of its parameters (`def add_path(path): sys.path.insert(0, path)`) adds what it is called with,
in the module that defines it and in those that import it.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tf2towers.source.nodes import Function, argument, last_name

_UNCHANGED = frozenset(
    {"abspath", "realpath", "normpath", "expanduser", "resolve", "absolute", "Path", "str", "fspath"}
)

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
        text = _Values(names, path, home).of(value)
        for folder in _folders(text, home) if text else ():
            if folder not in found:
                found.append(folder)
    return found


def computed_path(
    tree: ast.Module, text: ast.expr, path: Path, home: Path
) -> tuple[Path, re.Pattern[str]] | None:
    """The folder of files that a computed path means, `os.path.join('models', name + '.py')`, and what they are called.

    None where not even the folder can be said.
    """
    names = _assigned([node for node in ast.walk(tree) if isinstance(node, ast.stmt)])
    found = _Values(names, path, home, hole="\0").of(text) or "\0"
    folder, _, _ = found.partition("\0")[0].rpartition("/")
    if not folder:
        return None
    pattern = "[^/]*".join(map(re.escape, found[len(folder) + 1 :].split("\0")))
    return next(((each, re.compile(pattern)) for each in _folders(folder, home)), None)


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
        if node.func.attr == "addsitedir" and getattr(node.func.value, "id", "") == "site":
            return node.args[:1]
        if _is_sys_path(node.func.value):
            if node.func.attr == "append" and len(node.args) == 1:
                return [node.args[0]]
            if node.func.attr == "insert" and len(node.args) == 2:
                return [node.args[1]]
            if node.func.attr == "extend" and node.args:
                return _elements(node.args[0])
    if isinstance(node, ast.AugAssign) and _is_sys_path(node.target):
        return _elements(node.value)
    if isinstance(node, ast.Assign) and any(_is_sys_path(target) for target in node.targets):
        return _elements(node.value)
    return []


def _elements(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.List | ast.Tuple):
        return list(node.elts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _elements(node.left) + _elements(node.right)
    return []


def _is_sys_path(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "path"
        and isinstance(node.value, ast.Name)
        and node.value.id == "sys"
    )


def _assigned(statements: list[ast.stmt]) -> dict[str, list[ast.expr]]:
    """What statements bind a name to; a class stands for what its body assigns."""
    found: dict[str, list[ast.expr]] = {}
    for statement in statements:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(statement.value)
        elif isinstance(statement, ast.ClassDef):
            for name, values in _assigned(statement.body).items():
                found.setdefault(f"{statement.name}.{name}", []).extend(values)
        elif isinstance(statement, ast.For) and isinstance(statement.target, ast.Name):
            found.setdefault(statement.target.id, []).extend([statement.iter] * 2)  # not one value
    return found


class _Values:
    """The paths that expressions give, as far as they are seen."""

    def __init__(
        self, names: Mapping[str, list[ast.expr]], path: Path, home: Path, hole: str | None = None
    ) -> None:
        """`hole` stands for what is unresolved."""
        self._names, self._path, self._home, self._hole = names, path, home, hole
        self._depth = 0
        self._owner = ""

    def of(self, node: ast.expr) -> str | None:
        """The path that an expression gives; None where it is unresolved."""
        if self._depth > 20:
            return self._hole
        self._depth += 1
        try:
            value = self._value_of(node)
            return value if value is not None else self._hole
        finally:
            self._depth -= 1

    def _value_of(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return str(self._path) if node.id == "__file__" else self._named(node.id)
        if isinstance(node, ast.BinOp):
            return self._joined(node)
        if isinstance(node, ast.JoinedStr):
            parts = [
                self.of(part.value if isinstance(part, ast.FormattedValue) else part) for part in node.values
            ]
            return None if None in parts else "".join(part for part in parts if part is not None)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript):
            return self._element(node)
        if isinstance(node, ast.Call) and not node.keywords:
            return _of_call(node, [self.of(argument) for argument in node.args], self.of)
        return None

    def _named(self, name: str) -> str | None:
        """What a name is bound to, where that is one value; in a class, one of the class first."""
        for full in (f"{self._owner}.{name}", name) if self._owner else (name,):
            values = self._names.get(full, [])
            if len(values) == 1:
                return self.of(values[0])
        return None

    def _joined(self, node: ast.BinOp) -> str | None:
        left, right = self.of(node.left), self.of(node.right)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Mod):
            return left.replace("%s", right) if left.count("%") == 1 and "%s" in left else None
        return str(Path(left) / right) if isinstance(node.op, ast.Div) else None

    def _attribute(self, node: ast.Attribute) -> str | None:
        if node.attr == "parent":
            inner = self.of(node.value)
            return os.path.dirname(inner) if inner else None  # noqa: PTH120 - of a text
        if isinstance(node.value, ast.Name) and (owner := self._class_of(node.value.id)):
            outer_owner, self._owner = self._owner, owner
            try:
                return self._named(node.attr)
            finally:
                self._owner = outer_owner
        return {"pardir": "..", "curdir": ".", "sep": "/"}.get(node.attr)

    def _class_of(self, name: str) -> str | None:
        """The class that a name is, or is an object of: `cfg` after `cfg = Config()`."""
        values = self._names.get(name, [])
        if len(values) == 1 and isinstance(values[0], ast.Call) and isinstance(values[0].func, ast.Name):
            name = values[0].func.id
        return name if any(known.startswith(name + ".") for known in self._names) else None

    def _element(self, node: ast.Subscript) -> str | None:
        if not isinstance(node.slice, ast.Constant) or not isinstance(node.slice.value, int):
            return None
        count = node.slice.value
        if _is_sys_path(node.value) and count == 0:
            return str(self._home)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "parents" and count >= 0:
            inner = self.of(node.value.value)
            parents = list(Path(inner).parents) if inner else []
            return str(parents[count]) if count < len(parents) else None
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "split":
            if len(call.args) == 1 and "path" in ast.unparse(call.func.value) and count in (0, 1):
                inner = self.of(call.args[0])
                return os.path.split(inner)[count] if inner else None
        return None


def _of_call(node: ast.Call, given: list[str | None], of: Callable[[ast.expr], str | None]) -> str | None:
    name = last_name(node.func)
    if name == "getcwd" and not given:
        return "."
    if not given and isinstance(node.func, ast.Attribute) and name in _UNCHANGED:
        return of(node.func.value)
    texts = [text for text in given if text is not None]
    if not texts or len(texts) != len(given):
        return None
    if name in _UNCHANGED and len(texts) == 1:
        return texts[0]
    if name == "format" and isinstance(node.func, ast.Attribute) and len(texts) == 1:
        pattern = of(node.func.value)
        return (
            pattern.replace("{}", texts[0])
            if pattern and pattern.count("{") == pattern.count("{}") == 1
            else None
        )
    if name == "dirname" and len(texts) == 1:
        return os.path.dirname(texts[0])  # noqa: PTH120 - of a text
    return str(Path(*texts)) if name == "join" else None
