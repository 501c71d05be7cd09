"""Calls of the user's own code that an idiomatic form has lost: the last check before it is given out."""

from __future__ import annotations

import ast
from collections import Counter

from tf2towers.names.meanings import Meanings
from tf2towers.source.nodes import Function

#: what the code of a graph is put together with, which the idiomatic form may need less often
_OF_GRAPHS = frozenset(
    f"builtins.{name}"
    for name in ("range", "xrange", "len", "zip", "enumerate", "list", "sum", "int", "float")
) | {"six.moves.range", "six.moves.xrange", "six.moves.zip"}


def lost_calls(before: str, after: str) -> list[tuple[str, int]]:
    """The calls of functions that are not TensorFlow's which a text has fewer of than before; the line of the first.

    Functions that are gone as a whole (an averaging function) are not looked into; the program's own functions count as
    lost where nothing calls them any more.
    """
    kept = {node.name for node in ast.walk(ast.parse(after)) if isinstance(node, Function)}
    first: dict[str, int] = {}
    old, new = _calls(before, kept, first), _calls(after, kept, {})
    return [(name, first[name]) for name, count in old.items() if new[name] < (count if "." in name else 1)]


def _calls(text: str, kept: set[str], first: dict[str, int]) -> Counter[str]:
    tree = ast.parse(text)
    tree.body = [
        statement for statement in tree.body if not isinstance(statement, Function) or statement.name in kept
    ]
    meanings = Meanings(tree)
    found: Counter[str] = Counter()
    for node in meanings.nodes:
        if isinstance(node, ast.Call):
            name = meanings.canonical(node.func)
            if name is None or name.partition(".")[0] in ("tf", "tf2towers") or name in _OF_GRAPHS:
                continue
            if "." not in name and name not in kept:
                continue
            found[name] += 1
            first.setdefault(name, node.lineno)
    return found
