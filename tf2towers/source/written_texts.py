"""Evaluates computed strings: `'models.' + name`, `os.path.dirname(__file__)`."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tf2towers.source.ast_nodes import last_name

#: stands for an unresolved part of a string
HOLE = "\0"
_UNCHANGED = frozenset({"abspath", "realpath", "normpath", "expanduser", "str", "fspath"})
_PERCENT = re.compile(r"%(?:\(\w+\))?[-#0 +]*\d*(?:\.\d+)?[a-zA-Z]")
_BRACES = re.compile(r"\{[^{}]*\}")
#: placeholders that are filled in order
_PLAIN = re.compile(r"%s|\{\d?\}")
_DEEPEST = 20


class WrittenTexts:
    """Evaluates expressions to strings: constants, sums, formats, os.path's functions.

    Args:
        names: name -> the values that it is bound to, as far as known.
        path: the file that contains the expressions.
        holes: whether `HOLE` stands for unresolved parts; if not, a string with such a part is
            None.
    """

    def __init__(
        self,
        names: Mapping[str, list[ast.expr]] | None = None,
        path: Path | None = None,
        *,
        holes: bool = False,
    ) -> None:
        self._names, self._path = names or {}, path
        self._hole = HOLE if holes else None
        self._depth = 0

    def of(self, node: ast.expr) -> str | None:
        """The string that an expression evaluates to; None if it is unresolved."""
        if self._depth > _DEEPEST:
            return self._hole
        self._depth += 1
        try:
            value = self._value_of(node)
            return value if value is not None else self._hole
        finally:
            self._depth -= 1

    def _value_of(self, node: ast.expr) -> str | None:
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id="__file__"):
                return str(self._path) if self._path is not None else None
            case ast.Name(id=name):
                values = self._names.get(name, [])
                return self.of(values[0]) if len(values) == 1 else None
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._together("", [left, right])
            case ast.BinOp(left=ast.Constant(value=str(pattern)), op=ast.Mod(), right=right):
                return self._filled(
                    pattern, _PERCENT, right.elts if isinstance(right, ast.Tuple) else [right]
                )
            case ast.JoinedStr(values=parts):
                return self._together("", parts)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self.of(value)
            case ast.Attribute(attr=name):
                return {"pardir": "..", "curdir": ".", "sep": "/"}.get(name)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(pattern)), attr="format")):
                return self._filled(pattern, _BRACES, [] if node.keywords else node.args)
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=str(between)), attr="join"),
                args=[ast.List(elts=elements) | ast.Tuple(elts=elements)],
            ):
                return self._together(between, elements)
            case ast.Call(keywords=[]):
                return self._of_call(node)
        return None

    def _together(self, between: str, parts: Sequence[ast.expr]) -> str | None:
        texts = [self.of(part) for part in parts]
        return None if None in texts else between.join(text for text in texts if text is not None)

    def _filled(self, pattern: str, holes: re.Pattern[str], given: Sequence[ast.expr]) -> str | None:
        """A format whose placeholders are filled in order, if that is certain."""
        found = holes.findall(pattern)
        plain = len(found) == len(given) and all(map(_PLAIN.fullmatch, found))
        texts = [self.of(each) if plain else self._hole for each in (given if plain else found)]
        if None in texts:
            return None
        filling = iter(texts)
        return holes.sub(lambda _: str(next(filling)), pattern)

    def _of_call(self, node: ast.Call) -> str | None:
        name = last_name(node.func)
        if name == "getcwd" and not node.args:
            return "."
        texts = [text for text in map(self.of, node.args) if text is not None]
        if not texts or len(texts) != len(node.args):
            return None
        if len(texts) == 1 and name in _UNCHANGED:
            return texts[0]
        if len(texts) == 1 and name == "dirname":
            return _folder_of(texts[0])
        return str(Path(*texts)) if name == "join" else None


def _folder_of(path: str | None) -> str | None:
    return os.path.dirname(path) if path and HOLE not in path else None  # noqa: PTH120 - a string, not a Path


def is_sys_path(node: ast.AST) -> bool:
    """True if an expression is `sys.path`."""
    return isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.path"
