r"""Bytes that a script of Python 2 writes by escapes, where there is text in Python 3: `line.strip('\xef\xbb\xbf')`.

What Python 2 read from a file opened 'r' was bytes, and is text now, decoded as UTF-8. Escapes above `\x7f` are those
bytes; Python 3 takes them for characters of Latin-1, which the text has not. Where such a literal is UTF-8, and what is
done with it is the same for the characters as it was for their bytes, the characters are written.
"""

from __future__ import annotations

import ast
import re
from typing import Literal

from tf2towers.names.meanings import Meanings

#: an escape of a byte that is no ASCII
_ESCAPE = re.compile(r"\\x[89a-fA-F][0-9a-fA-F]|\\[23][0-7]{2}")
#: methods that look for a text in another one as a whole
_WHOLE = frozenset(
    {"count", "lstrip", "partition", "replace", "rpartition", "rsplit", "rstrip", "split", "strip", "write"}
)
#: methods whose argument is a set of characters: with one, the bytes at an end are those of that character
_SETS = frozenset({"lstrip", "rstrip", "strip"})
#: functions that say the same of a character of Latin-1 as of the byte
_SAME = frozenset({"builtins.ord", "builtins.len"})


def is_of_bytes(node: ast.Constant, text: str, meanings: Meanings) -> bool:
    """Whether a literal stands for bytes that are no ASCII, or is a pattern of such bytes."""
    if not isinstance(node.value, str) or text[:1] in "uUbB" or not _ESCAPE.search(text):
        return False
    around = meanings.parents[node]
    if isinstance(around, ast.Expr):
        return False
    if isinstance(around, ast.Call):
        name = meanings.canonical(around.func) or ""
        return name.startswith("re.") if _is_raw(text) else name not in _SAME and _has_bytes(node)
    return _has_bytes(node)


def today(node: ast.Constant, text: str, meanings: Meanings) -> str | Literal["bytes"] | None:
    """The literal in Python 3; 'bytes' where it is decoded at once, and has to be; None where nothing is certain."""
    if _is_raw(text) or not text.isascii():
        return None
    around = meanings.parents[node]
    if _is_decoded(node, around, meanings):
        return "bytes" if text[:1] in "'\"" and not re.search(r"['\"]\s*\\?\s*['\"]", text[3:-3]) else None
    try:
        characters = str(node.value).encode("latin-1").decode("utf-8")
    except UnicodeError:
        return None
    if not _is_whole(node, around, characters, meanings):
        return None
    return ascii(characters)


def _has_bytes(node: ast.Constant) -> bool:
    return any("\x80" <= character <= "\xff" for character in str(node.value))


def _is_raw(text: str) -> bool:
    return text[:1] in "rR"


def _is_decoded(node: ast.Constant, around: ast.AST, meanings: Meanings) -> bool:
    """Whether it is `'...'.decode('utf-8')` or `unicode('...', 'utf-8')`."""
    if isinstance(around, ast.Attribute):
        return around.attr == "decode" and isinstance(meanings.parents[around], ast.Call)
    return (
        isinstance(around, ast.Call)
        and len(around.args) > 1
        and around.args[0] is node
        and meanings.canonical(around.func) == "builtins.str"
    )


def _is_whole(node: ast.Constant, around: ast.AST, characters: str, meanings: Meanings) -> bool:
    """Whether it is looked for, added, written or printed as a whole.

    It may be compared with as many bytes as were read or cut out, which are another part of the text today.
    """
    if isinstance(around, ast.Attribute):
        return around.attr == "join"
    if isinstance(around, ast.Compare) and len(around.ops) == 1:
        looked_for = around.left is node and isinstance(around.ops[0], ast.In | ast.NotIn)
        return looked_for and isinstance(around.comparators[0], ast.Name | ast.Attribute | ast.Call)
    if isinstance(around, ast.BinOp):
        return isinstance(around.op, ast.Add) or (isinstance(around.op, ast.Mod) and around.left is node)
    if not isinstance(around, ast.Call) or node not in around.args:
        return False
    if not isinstance(around.func, ast.Attribute):
        return meanings.canonical(around.func) == "builtins.print"
    if meanings.canonical(around.func) is not None or around.func.attr not in _WHOLE:
        return False
    return around.func.attr not in _SETS or len(characters) == 1
