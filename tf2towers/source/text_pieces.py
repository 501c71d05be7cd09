"""What a computed text is made of: `"models." + name`, `"%s.%s" % (package, name)`, `f"{package}.{name}"`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

_PERCENT = re.compile(r"%(?:\(\w+\))?[-#0 +]*\d*(?:\.\d+)?[a-zA-Z]")
_BRACES = re.compile(r"\{[^{}]*\}")
#: holes that are filled one after the other
_PLAIN = re.compile(r"%s|\{\d?\}")


def text_pieces(text: ast.expr) -> Iterator[ast.expr]:
    """The expressions that a text is made of, one after the other; one that is not understood is its own piece."""
    match text:
        case ast.BinOp(op=ast.Add()):
            yield from text_pieces(text.left)
            yield from text_pieces(text.right)
        case ast.JoinedStr():
            for value in text.values:
                yield from text_pieces(value)
        case ast.FormattedValue(conversion=-1, format_spec=None):
            yield from text_pieces(text.value)
        case ast.BinOp(left=ast.Constant(value=str(pattern)), op=ast.Mod()):
            given = text.right.elts if isinstance(text.right, ast.Tuple) else [text.right]
            yield from _filled(text, pattern, _PERCENT, given)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(pattern)), attr="format")):
            yield from _filled(text, pattern, _BRACES, [] if text.keywords else text.args)
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str()) as between, attr="join"),
            args=[ast.List(elts=elements) | ast.Tuple(elts=elements)],
        ):
            for place, element in enumerate(elements):
                if place:
                    yield between
                yield from text_pieces(element)
        case _:
            yield text


def _filled(
    text: ast.expr, pattern: str, holes: re.Pattern[str], given: Sequence[ast.expr]
) -> Iterator[ast.expr]:
    """The pieces of a pattern with holes; `text` stands for what fills one of them, where that is not certain."""
    found = holes.findall(pattern)
    plain = len(found) == len(given) and all(map(_PLAIN.fullmatch, found))
    for place, part in enumerate(holes.split(pattern)):
        if place:
            yield from text_pieces(given[place - 1]) if plain else [text]
        if part:
            yield ast.Constant(part)
