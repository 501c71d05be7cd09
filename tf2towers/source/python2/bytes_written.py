r"""Bytes that a script of Python 2 writes by escapes, where there is text in Python 3: `line.strip('\xef\xbb\xbf')`.

What Python 2 read from a file opened 'r' was bytes, and is text now, decoded as UTF-8. Escapes above `\x7f` are those
bytes; Python 3 takes them for characters of Latin-1, which are not in the text. Where such a literal is UTF-8, and
what is done with it is the same for the characters as it was for their bytes, the characters are written.
"""

from __future__ import annotations

import ast
import re
from typing import Literal

from tf2towers.source.python2.scopes import Scopes

#: an escape of a byte that is not ASCII
_ESCAPE = re.compile(r"\\x[89a-fA-F][0-9a-fA-F]|\\[23][0-7]{2}")
#: methods whose argument is a set of characters: with one, the bytes at an end are those of that character
_SETS = frozenset({"lstrip", "rstrip", "strip"})
#: methods that look for a text in another one as a whole
_WHOLE = _SETS | {"count", "partition", "replace", "rpartition", "rsplit", "split", "write"}


def is_of_bytes(node: ast.Constant, text: str, scopes: Scopes) -> bool:
    """Whether a literal means bytes that are not ASCII, or is a pattern of such bytes."""
    if not isinstance(node.value, str) or text[:1] in "uUbB" or not _ESCAPE.search(text):
        return False
    around = scopes.parents[node]
    has_bytes = any("\x80" <= character <= "\xff" for character in node.value)
    if isinstance(around, ast.Call):
        name = scopes.canonical(around.func) or ""
        if text[:1] in "rR":
            return name.startswith("re.")
        return has_bytes and name not in ("builtins.ord", "builtins.len")  # they say the same of a character
    return has_bytes and not isinstance(around, ast.Expr)


def python3_literal(node: ast.Constant, text: str, scopes: Scopes) -> str | Literal["bytes"] | None:
    """The literal in Python 3; 'bytes' where it is decoded at once, and has to be; None where nothing is certain."""
    if text[:1] in "rR" or not text.isascii():
        return None
    around = scopes.parents[node]
    if _is_decoded(node, around, scopes):
        return "bytes" if text[:1] in "'\"" and not re.search(r"['\"]\s*\\?\s*['\"]", text[3:-3]) else None
    try:
        characters = str(node.value).encode("latin-1").decode("utf-8")
    except UnicodeError:
        return None
    return ascii(characters) if _is_whole(node, around, characters, scopes) else None


def _is_decoded(node: ast.Constant, around: ast.AST, scopes: Scopes) -> bool:
    """Whether it is `'...'.decode('utf-8')` or `unicode('...', 'utf-8')`."""
    if isinstance(around, ast.Attribute):
        return around.attr == "decode" and isinstance(scopes.parents[around], ast.Call)
    if not isinstance(around, ast.Call) or len(around.args) < 2 or around.args[0] is not node:
        return False
    return scopes.calls(around, "builtins.str")


def _is_whole(node: ast.Constant, around: ast.AST, characters: str, scopes: Scopes) -> bool:
    """Whether it is looked for, added, written or printed as a whole.

    It may be compared with as many bytes as were read or cut out, which are another part of the text in Python 3.
    """
    match around:
        case ast.Attribute(attr=attribute):
            return attribute == "join"
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[other]):
            return left is node and isinstance(other, ast.Name | ast.Attribute | ast.Call)
        case ast.BinOp():
            return isinstance(around.op, ast.Add) or (isinstance(around.op, ast.Mod) and around.left is node)
        case ast.Call(func=ast.Attribute(attr=method)) if scopes.canonical(around.func) is None:
            return node in around.args and method in _WHOLE and (method not in _SETS or len(characters) == 1)
        case ast.Call(args=args):
            return node in args and scopes.calls(around, "builtins.print")
    return False
